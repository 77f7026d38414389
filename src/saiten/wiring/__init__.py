"""Assembly of everything chosen by name: judges, embedders, chat models, and their request stacks."""

from saiten.wiring.addresses import is_model_on_server, read_address, runs_here
from saiten.wiring.indexing import documents_to_read, index_documents, paid_for_base
from saiten.wiring.judges import assemble_agents, assemble_judge, embedder_of
from saiten.wiring.knowledge import documents_in, embeds_here, open_engine, open_knowledge_base
from saiten.wiring.models import Models
from saiten.wiring.opened_later import OpenedLater, knowledge_base_later
from saiten.wiring.quotes import quote_of
from saiten.wiring.rag import RagSettings, assemble_rag, rag_over, ready
from saiten.wiring.retrievers import assemble_retriever
from saiten.wiring.systems import SystemSettings, assemble_system

__all__ = [
    "Models",
    "OpenedLater",
    "RagSettings",
    "SystemSettings",
    "assemble_agents",
    "assemble_judge",
    "assemble_rag",
    "assemble_retriever",
    "assemble_system",
    "documents_in",
    "documents_to_read",
    "embedder_of",
    "embeds_here",
    "index_documents",
    "is_model_on_server",
    "knowledge_base_later",
    "open_engine",
    "open_knowledge_base",
    "paid_for_base",
    "quote_of",
    "rag_over",
    "read_address",
    "ready",
    "runs_here",
]
