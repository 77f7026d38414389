"""Knowledge bases by address, opened now or later: a folder, or `http://HOST:6333/NAME` on a Qdrant server."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

from saiten.choices import Retrieval
from saiten.errors import BadInput, CallFailed, ConfigurationError
from saiten.models.vectors import RAW
from saiten.protocols import Embedder, Retriever
from saiten.rag.knowledge.base import Contents, KnowledgeBase, read_contents
from saiten.rag.knowledge.documents import FoundFile
from saiten.rag.knowledge.engine import Engine
from saiten.rag.knowledge.finding import find_documents
from saiten.rag.knowledge.folder_engine import FolderEngine
from saiten.rag.knowledge.indexing import Indexed, Indexing
from saiten.rag.knowledge.opening import begin, check_embedder, end, find_manifest, open_manifest
from saiten.rag.knowledge.reading import Reader, check_readers
from saiten.rag.knowledge.server_engine import KEY_VARIABLE, connect
from saiten.records import Retrieved, Usage
from saiten.wiring.addresses import Keys, elsewhere, server_of, url_of
from saiten.wiring.models import Models

BUILTIN = "builtin:1024"
"""The built-in embedder of a knowledge base: a quarter of the usual dimensions, at almost no loss."""

_BATCHES = 8
"""Maximum concurrent batches of 128 chunks."""


def open_engine(spec: str, *, writing: bool, keys: Keys | None = None) -> Engine:
    """Return the store behind `--kb`; nothing is sent to a server yet.

    Raises:
        ConfigurationError: the address is invalid, the folder is in use or not saiten's, or an extra is missing.
    """
    if spec.startswith(("http://", "https://")):
        return connect(spec, (keys or Keys(os.environ)).of(spec, variable=KEY_VARIABLE).value())
    return FolderEngine(Path(spec), writing=writing)


def embedder_of_base(spec: str, models: Models) -> tuple[Embedder, str]:
    """Return an embedder for a base, and the name stored there, which does not depend on the environment.

    The prefix `raw:` keeps the model's vector lengths.

    Raises:
        ConfigurationError: the embedder does not exist, or produces only unit vectors.
    """
    chosen = BUILTIN if spec == "builtin" else spec
    plain = chosen.removeprefix(RAW)
    if plain != chosen and plain.startswith("builtin"):
        raise ConfigurationError(f"{RAW} is for embedders that are models; the built-in one has unit vectors only")
    embedder = models.embedder(plain, scaled=plain == chosen)
    return embedder, chosen if chosen.startswith("builtin") else embedder.name


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
    with a sentence. `prune` removes documents of the base that are not among those given.

    Raises:
        BadInput: no document was found.
        ConfigurationError: the base is in use or was made with other settings, or a library is missing.
        CallFailed: a server failed for good. Stored documents stay; repeat the call to resume.
        BudgetSpent: as for `CallFailed`.
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
    async with AsyncExitStack() as stack:
        engine = open_engine(kb, writing=True, keys=models.keys)
        stack.push_async_callback(engine.close)
        found = await find_manifest(engine)
        if found is not None and embedder is None:
            _notice_server(engine.name, found.embedder, models)
        chosen, spec = embedder_of_base(embedder or (found.embedder if found else default_embedder), models)
        stack.push_async_callback(chosen.close)
        spent: list[Usage] = []
        manifest = await begin(engine, chosen, spec, chunk_size, overlap, exact=exact, spent=spent.append)
        reader = stack.enter_context(Reader())
        in_flight = min(_BATCHES, models.calls.concurrency)
        work = Indexing(engine, chosen, manifest, reader, in_flight=in_flight, prune=prune, watch=watch)
        work.done.total, work.done.usage = len(files), sum(spent, Usage())
        await work.run(files)
        await end(engine, manifest)
        return work.done, await read_contents(engine)


async def open_knowledge_base(
    spec: str,
    models: Models,
    *,
    embedder: str | None = None,
    retrieval: Retrieval = "dense",
    k: int = 5,
    notify: Callable[[str], None] | None = None,
) -> KnowledgeBase:
    """Return the knowledge base, ready to be searched: a `Retriever` that the caller closes.

    `embedder` replaces the base's, for a model that is now served elsewhere; None uses the base's.

    Raises:
        ConfigurationError: it does not exist, is being indexed by another process, or was embedded by another model.
        CallFailed: the server failed.
    """
    engine = open_engine(spec, writing=False, keys=models.keys)
    try:
        manifest = await open_manifest(engine)
        if embedder is None:
            _notice_server(engine.name, manifest.embedder, models)
        chosen, _ = embedder_of_base(embedder or manifest.embedder, models)
        check_embedder(manifest, chosen, engine.name)
        contents = await read_contents(engine)
    except BaseException:
        await engine.close()
        raise
    if manifest.interrupted and notify is not None:
        notify(
            f"{engine.name} is being indexed, or its indexing was interrupted; {contents.documents} documents are "
            "complete and can be found. Re-run the same `saiten index` for the others"
        )
    return KnowledgeBase(engine, chosen, manifest, contents, retrieval=retrieval, k=k)


def _notice_server(base: str, embedder: str, models: Models) -> None:
    """Report a remote server that the base names: the folder may come from somebody else."""
    url = url_of(embedder, models.environ)
    if url is not None and elsewhere(url, models.environ):
        models.notice(
            f"the knowledge base {base} names the server of its embedder, {server_of(url)}: it gets the texts to "
            "embed, and the key if there is one for it, when it is asked"
        )


Opening = Callable[[], Awaitable[Retriever]]


class OpenedLater:
    """A `Retriever` that opens another one: by `open`, or at the first query.

    This allows synchronous code to assemble and describe a system.
    """

    def __init__(self, name: str, opening: Opening) -> None:
        """`name`: the name of the retriever that `opening` opens."""
        self._name = name
        self._opening = opening
        self._lock = asyncio.Lock()
        self._opened: Retriever | None = None

    @property
    def name(self) -> str:
        return self._name

    async def open(self) -> Retriever:
        """Return the retriever; open it the first time.

        Raises:
            ConfigurationError: it cannot be opened, or its name has changed since.
        """
        async with self._lock:
            if self._opened is None:
                opened = await self._opening()
                if opened.name != self._name:
                    await opened.close()
                    raise ConfigurationError(
                        f"the knowledge base changed while the run started: it was {self._name} and is now "
                        f"{opened.name}; start again when no process is indexing it"
                    )
                self._opened = opened
            return self._opened

    async def retrieve(self, query: str, k: int | None = None) -> Retrieved:
        return await (await self.open()).retrieve(query, k)

    async def close(self) -> None:
        if self._opened is not None:
            await self._opened.close()


def name_of(opening: Opening) -> str:
    """Open the retriever, return its name and close it; in a thread, since this one may have a running loop.

    Raises:
        ConfigurationError: it cannot be opened.
    """

    async def named() -> str:
        opened = await opening()
        try:
            return opened.name
        finally:
            await opened.close()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(named())).result()


def knowledge_base_later(kb: str, models: Models, *, retrieval: Retrieval = "dense", k: int = 5) -> OpenedLater:
    """Return the knowledge base at an address, opened by `open` or at the first query; its name is read at once.

    Raises:
        ConfigurationError: the knowledge base does not exist, or cannot be opened.
    """

    async def opened(with_models: Models) -> Retriever:
        return await open_knowledge_base(kb, with_models, retrieval=retrieval, k=k)

    try:
        name = name_of(partial(opened, models.without_store()))  # closed afterwards, including any cache
    except CallFailed as error:
        raise ConfigurationError(f"the knowledge base cannot be opened: {error}") from error
    return OpenedLater(name, partial(opened, models))
