"""Column names that people use, rather than tools, in English and Japanese; a note says which column was taken.

A name is only here if it hardly means anything else. Names of tools are in `columns.py`.
"""

from collections.abc import Mapping, Sequence

GUESSED_NAMES: Mapping[str, Sequence[str]] = {
    "id": ("No", "No.", "項番", "連番", "通し番号"),
    "question": (
        "question_text", "user_question", "user_query", "input.text", "inputs.text", "prompt",
        "質問文", "質問内容", "ユーザー質問", "ユーザーの質問", "設問", "設問文", "問題", "問題文", "問い",
        "問い合わせ", "問い合わせ内容", "問合せ", "問合せ内容", "お問い合わせ内容",
    ),
    "answer": (
        "answer_text", "generated_answer", "generated_text", "generation", "completion", "model_answer", "model_output",
        "model_response", "llm_answer", "llm_output", "llm_response", "ai_answer", "bot_answer", "output.text",
        "outputs.text", "response.text", "result",
        "回答文", "回答内容", "AI回答", "AIの回答", "生成文", "生成回答", "生成された回答", "生成結果", "応答",
        "応答文", "出力", "出力文", "モデル回答", "モデルの回答", "LLM回答", "ボット回答", "ボットの回答",
        "システム回答", "システムの回答",
    ),
    "contexts": (
        "retrieved_documents", "retrieved_docs", "retrieved_passages", "retrieved_chunks", "source_documents",
        "documents", "docs", "passages", "chunks",
        "文脈", "参照文書", "参考文書", "参照文", "検索文書", "検索された文書", "取得文書", "関連文書", "参照箇所",
        "引用文", "チャンク",
    ),
    "reference": (
        "reference_answer", "ground_truth_answer", "gold_answer", "golden_answer", "gold", "ideal_answer", "ideal",
        "correct_answer", "expected", "expected_result",
        "正解文", "正解例", "正解回答", "正答", "正答文", "正しい回答", "模範回答", "模範解答例", "想定回答",
        "期待回答", "期待される回答", "期待する回答", "理想の回答", "参考回答", "標準回答", "解答", "解答例", "回答例",
    ),
    "alternatives": ("別解", "許容解", "許容回答"),
    "evidence": ("根拠", "根拠文", "根拠文書", "根拠資料"),
    "group": ("category", "カテゴリ", "カテゴリー", "分類", "製品", "製品名", "商品", "商品名"),
    "system": ("system_name", "model", "model_name", "モデル", "モデル名", "システム名"),
}  # fmt: skip
"""Field → names, after those of tools."""

ROW_NUMBERS = frozenset(GUESSED_NAMES["id"])
"""Names of columns that number rows or questions, so that the answers of several systems may share a number."""
