Documentation.addTranslations({
    "locale": "ja",
    "messages": {
        ", in ": "、",
        "Hide Search Matches": "検索語の強調表示を消す",
        "Preparing search...": "検索を準備しています…",
        "Search Results": "検索結果",
        "Search finished, found one page matching the search query.": ["${resultCount}ページが見つかりました。"],
        "Searching": "検索しています",
        "Your search did not match any documents. Please make sure that all words are spelled correctly and that you've selected enough categories.": "見つかりませんでした。語を変えるか、減らしてみてください。"
    },
    "plural_expr": "0"
});
