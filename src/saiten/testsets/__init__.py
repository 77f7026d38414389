"""Test sets: questions made from documents, checked, approved by people, and kept up to date."""
