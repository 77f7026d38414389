"""評価対象。本文を、自社のシステムの呼び出しに置き換える。"""


def answer(question):
    """回答と、そのもとになった文章を返す。"""
    passages = ["待機時の消費電力は3ワット、スリープ時は0.8ワットです。"]
    return {"answer": "待機時の消費電力は3ワットです。", "contexts": passages}
