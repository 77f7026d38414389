"""The list of metrics: each entry refers to its metric by a dotted path and imports it on demand."""

from dataclasses import MISSING, Field, dataclass, fields
from importlib import import_module
from typing import Any, Literal, get_args, get_origin, get_type_hints

from saiten.protocols import Need

Family = Literal["ragas", "judged", "overlap", "neural"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of a metric, as typed in brackets."""

    name: str
    values: str
    """Accepted values, for people: `ours | ragas`, `int`, …"""
    default: Any


@dataclass(frozen=True, slots=True)
class Entry:
    """A metric of the catalog; all other properties are read from its class."""

    title: str
    path: str
    """The path of the class, `module:Class`."""
    family: Family
    en: str
    """The quantity measured, in one line."""
    ja: str
    """The same in Japanese."""
    aliases: tuple[str, ...] = ()
    """Alternative spellings."""

    def load(self) -> type[Any]:
        """Import and return the class."""
        module, _, name = self.path.partition(":")
        loaded: type[Any] = getattr(import_module(module), name)
        return loaded

    @property
    def needs(self) -> tuple[Need, ...]:
        """The fields that a sample must have."""
        needs: tuple[Need, ...] = self.load().needs
        return needs

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and highest possible value."""
        bounds: tuple[float, float] = self.load().bounds
        return bounds

    @property
    def higher_is_better(self) -> bool | None:
        """The direction; None if neither is better, or if it depends on a setting."""
        direction: bool | None = self.load().higher_is_better
        return direction

    @property
    def needs_judge(self) -> bool:
        """Whether the metric uses a judge."""
        return bool(self.load().tasks)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The settings allowed in brackets."""
        metric = self.load()
        hints = get_type_hints(metric)
        return tuple(Setting(f.name, takes(hints[f.name]), _default(f)) for f in fields(metric) if f.init)


_RAGAS = "saiten.metrics.ragas"
_OVERLAP = "saiten.metrics.overlap"
_JUDGED = "saiten.metrics.judged"
_NEURAL = "saiten.metrics.neural"

ENTRIES: tuple[Entry, ...] = (
    Entry(
        "faithfulness",
        f"{_RAGAS}.faithfulness:Faithfulness",
        "ragas",
        "share of the answer's statements that the contexts support",
        "回答の主張のうち、コンテキストに裏付けられるものの割合",
    ),
    Entry(
        "answer_relevancy",
        f"{_RAGAS}.answer_relevancy:AnswerRelevancy",
        "ragas",
        "how much questions written from the answer resemble the question asked",
        "回答から作った質問が、元の質問にどれだけ近いか",
        ("response_relevancy", "answer_relevance"),
    ),
    Entry(
        "context_precision",
        f"{_RAGAS}.context_precision:ContextPrecision",
        "ragas",
        "whether the useful contexts stand at the top of the ranking",
        "有用なコンテキストが上位に並んでいるか",
        ("llm_context_precision_with_reference", "context_precision_with_reference"),
    ),
    Entry(
        "context_recall",
        f"{_RAGAS}.context_recall:ContextRecall",
        "ragas",
        "share of the reference's statements that stand in the contexts",
        "参照回答の主張のうち、コンテキストに含まれるものの割合",
        ("llm_context_recall",),
    ),
    Entry(
        "context_entity_recall",
        f"{_RAGAS}.context_entity_recall:ContextEntityRecall",
        "ragas",
        "share of the reference's entities that the contexts name",
        "参照回答の固有表現のうち、コンテキストに現れるものの割合",
        ("context_entities_recall",),
    ),
    Entry(
        "answer_similarity",
        f"{_RAGAS}.answer_similarity:AnswerSimilarity",
        "ragas",
        "cosine of the embeddings of answer and reference",
        "回答と参照回答の埋め込みのコサイン類似度",
        ("semantic_similarity", "answer_semantic_similarity"),
    ),
    Entry(
        "answer_correctness",
        f"{_RAGAS}.answer_correctness:AnswerCorrectness",
        "ragas",
        "F-score of the answer's statements against the reference's, with their similarity",
        "回答と参照回答の主張のF値と類似度の加重平均",
    ),
    Entry(
        "aspect_critique",
        f"{_RAGAS}.aspect_critique:AspectCritique",
        "ragas",
        "yes or no to one criterion: harmfulness, coherence, …, or a question of your own",
        "一つの観点(有害性、一貫性など、または自作の質問)に対する「はい・いいえ」",
        ("aspect_critic",),
    ),
    Entry(
        "summarization_score",
        f"{_RAGAS}.summarization_score:SummarizationScore",
        "ragas",
        "whether the answer, as a summary of the contexts, answers what they answer, and is short",
        "コンテキストの要約としての回答が、要点を含み、かつ簡潔か",
        ("summary_score", "summarisation_score"),
    ),
    Entry(
        "context_relevance",
        f"{_RAGAS}.context_relevance:ContextRelevance",
        "ragas",
        "share of the contexts' sentences that are needed to answer",
        "コンテキストの文のうち、回答に必要なものの割合",
    ),
    Entry(
        "correctness",
        f"{_JUDGED}.correctness:Correctness",
        "judged",
        "grade of 1 to 5 against the reference; answers that decline are left out",
        "参照回答に照らした1~5の評点(「分からない」という回答は除外)",
    ),
    Entry(
        "accuracy",
        f"{_JUDGED}.accuracy:Accuracy",
        "judged",
        "correct or not against the reference; grounded: made-up additions count as mistakes",
        "参照回答に照らした正誤(grounded では根拠のない付け足しも誤りとする)",
    ),
    Entry(
        "gist",
        f"{_JUDGED}.gist:Gist",
        "judged",
        "what the answer lacks and adds: gist (carries the answer) and supplement (only supports it); four ratios",
        "回答の不足と不適を、趣旨(答えの核)と補足に分けて数える4つの比率",
    ),
    Entry(
        "aspects",
        f"{_JUDGED}.aspects:Aspects",
        "judged",
        "grade on each aspect of a rubric, without a reference: formality, factuality, amount_info, acceptability",
        "評価軸ごとの評点(参照回答なし)。既定は、改まり方・事実性・情報量・受容性の4軸",
    ),
    Entry(
        "direct",
        f"{_JUDGED}.direct:Direct",
        "judged",
        "acceptability of the answer as a whole, 0-3, asked for at once, without a reference",
        "回答全体の受容性(0~3)を、参照回答なしで一度に問う",
    ),
    Entry(
        "mate",
        f"{_JUDGED}.mate:Mate",
        "judged",
        "acceptability put together from formality, amount_info and factuality with learned weights",
        "改まり方・情報量・事実性の評点を、学習した重みで合成した受容性",
    ),
    Entry(
        "word_recall",
        f"{_OVERLAP}:WordRecall",
        "overlap",
        "share of the reference's words that stand in the answer",
        "参照回答の単語のうち、回答に含まれるものの割合",
    ),
    Entry(
        "rouge_1",
        f"{_OVERLAP}:Rouge1",
        "overlap",
        "F-score of single words against the reference",
        "参照回答との単語の一致(F値)",
        ("rouge1",),
    ),
    Entry(
        "rouge_2",
        f"{_OVERLAP}:Rouge2",
        "overlap",
        "F-score of pairs of words against the reference",
        "参照回答との2語連鎖の一致(F値)",
        ("rouge2",),
    ),
    Entry(
        "rouge_l",
        f"{_OVERLAP}:RougeL",
        "overlap",
        "F-score of the longest common subsequence of words with the reference",
        "参照回答との最長共通部分列(F値)",
        ("rougel",),
    ),
    Entry(
        "bleu4",
        f"{_OVERLAP}:Bleu4",
        "overlap",
        "BLEU of one answer against its references, up to 4 words, smoothed",
        "参照回答に対する文単位のBLEU(4語連鎖まで、平滑化あり)",
        ("bleu_4",),
    ),
    Entry(
        "chrf",
        f"{_OVERLAP}:ChrF",
        "overlap",
        "F-score of character n-grams against the references",
        "参照回答との文字n-gramの一致(F値)",
    ),
    Entry(
        "token_f1",
        f"{_OVERLAP}:TokenF1",
        "overlap",
        "F-score of the words of short answers, as in SQuAD",
        "短い回答の単語のF値(SQuAD方式)",
    ),
    Entry(
        "exact_match",
        f"{_OVERLAP}:ExactMatch",
        "overlap",
        "whether the answer equals a reference but for spelling details",
        "表記の揺れを除いて参照回答と一致するか",
    ),
    Entry(
        "length",
        f"{_OVERLAP}:Length",
        "overlap",
        "length of the answer in words",
        "回答の長さ(単語数)",
    ),
    Entry(
        "context_overlap",
        f"{_OVERLAP}:ContextOverlap",
        "overlap",
        "share of the answer's words that stand in the contexts: the baseline of faithfulness",
        "回答の単語のうち、コンテキストに現れるものの割合(忠実性の基準線)",
    ),
    Entry(
        "bertscore",
        f"{_NEURAL}.bertscore:BertScore",
        "neural",
        "how near the tokens of answer and reference come to each other in a network: precision, recall, F1",
        "ネットワークの中で、回答と参照回答のトークンがどれだけ近いか(適合率・再現率・F1)",
        ("bert_score",),
    ),
    Entry(
        "perplexity",
        f"{_NEURAL}.perplexity:Perplexity",
        "neural",
        "how surprised a language model is by the answer: alone, after its question, after a random other question",
        "言語モデルにとっての回答の意外さ(パープレキシティ)。回答のみ・質問の後・無関係な質問の後の3種",
    ),
)


def takes(hint: Any) -> str:
    """Describe the accepted values of a setting."""
    if get_origin(hint) is Literal:
        return " | ".join(map(str, get_args(hint)))
    return "yes | no" if hint is bool else getattr(hint, "__name__", str(hint))


def _default(field: Field[Any]) -> Any:
    return field.default if field.default is not MISSING else None
