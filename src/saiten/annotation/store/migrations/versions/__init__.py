"""One file per migration; released ones never change."""
