"""Indexing documents into a knowledge base."""

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from saiten.errors import BadInput, ConfigurationError
from saiten.rag.knowledge.base import Contents, read_contents
from saiten.rag.knowledge.documents import FoundFile, Unread
from saiten.rag.knowledge.finding import find_documents
from saiten.rag.knowledge.indexing import Indexed, Indexing
from saiten.rag.knowledge.opening import begin, end, find_manifest
from saiten.rag.knowledge.reading import Reader, check_readers
from saiten.records import Usage
from saiten.runs.locked_folder import LockedFolder, PaidCalls, paid_in
from saiten.wiring.knowledge import embedder_of_base, folder_of_base, open_engine
from saiten.wiring.models import Models
from saiten.wiring.named_servers import notice_server

_BATCHES = 8
"""Maximum concurrent batches of 128 chunks."""


async def index_documents(
    documents: Sequence[Path],
    kb: str,
    models: Models,
    *,
    embedder: str | None = None,
    default_embedder: str = "builtin",
    chunk_size: int | None = None,
    overlap: int | None = None,
    exact: bool | None = None,
    prune: bool = False,
    watch: Callable[[Indexed], None] | None = None,
) -> tuple[Indexed, Contents]:
    """Update the base with these files and folders; create it if it does not exist.

    None keeps the settings of the base; a new one gets `default_embedder`, 512, 0 and, unless `exact`, chunks that end
    with a sentence. `prune` removes documents of the base that are not among those given. What is paid is kept in the
    base's folder, unless the models' account has another book.

    Raises:
        BadInput: no document was found.
        ConfigurationError: the base is in use or was made with other settings, or a library is missing.
        CallFailed: a server failed for good. Stored documents stay; repeat the call to resume.
        BudgetSpent: as for `CallFailed`.
    """
    files = documents_to_read(documents)
    async with AsyncExitStack() as stack:
        engine = open_engine(kb, writing=True, keys=models.keys)
        stack.push_async_callback(engine.close)
        if models.account.book is None and (folder := folder_of_base(kb)) is not None:
            kept = stack.enter_context(LockedFolder(folder, models.notice, held=True))
            stack.enter_context(models.account.booked(PaidCalls(kept)))
        found = await find_manifest(engine)
        if found is not None and embedder is None:
            notice_server(engine.name, found.embedder, models)
        named = embedder or (found.embedder if found else default_embedder)
        chosen, spec = embedder_of_base(named, models, found=found is not None and embedder is None)
        stack.push_async_callback(chosen.close)
        manifest = await begin(engine, chosen, spec, chunk_size, overlap, exact=exact)
        reader = stack.enter_context(Reader())
        in_flight = min(_BATCHES, models.calls.concurrency)
        work = Indexing(engine, chosen, manifest, reader, in_flight=in_flight, prune=prune, watch=watch)
        work.done.total = len(files)
        await work.run(files)
        await end(engine, manifest)
        return work.done, await read_contents(engine)


def documents_to_read(documents: Sequence[Path]) -> list[FoundFile | Unread]:
    """Return the files at these paths and below these folders, in order.

    Raises:
        BadInput: there is no document among them.
        ConfigurationError: a library that reads some of them is missing.
    """
    files = list(find_documents(documents))
    kinds = {file.kind: file.source for file in reversed(files) if isinstance(file, FoundFile)}
    if not kinds and (absent := [str(path) for path in documents if not path.exists()]):
        raise BadInput(f"there is no file or folder {', '.join(absent)}")
    if not kinds:
        raise BadInput(
            f"there is no document in {', '.join(map(str, documents))}; text, Markdown, HTML, PDF and DOCX are read"
        )
    for kind, first in kinds.items():
        try:
            check_readers([kind])
        except ConfigurationError as error:
            raise ConfigurationError(f"{error}, or leave such files out (the first is {first})") from None
    return files


def paid_for_base(kb: str) -> Usage:
    """Return what all indexing of the base has paid; nothing for one on a server, which has no folder to keep it in."""
    folder = folder_of_base(kb)
    return Usage() if folder is None else paid_in(folder) or Usage()
