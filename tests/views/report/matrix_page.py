"""How tests look at the matrix of a report's page."""


def questions(page):
    """The ids of the questions in the page, in order."""
    return [each.split(" · ")[0] for each in _in_order(page, ".asked .meta")]


def cells(page, at=0):
    """The texts of the cells of a row in the page."""
    return page.locator(f'.matrix .row[data-at="{at}"] [role=gridcell]').all_inner_texts()


def heads(page):
    """The names of the columns."""
    return page.locator(".matrix .heads .head .title").all_inner_texts()


def counted(page):
    """The count next to the filters."""
    return page.locator(".filters output").inner_text()


def cell(page, at, place=1):
    """The cell of a row in a place: 0 is the question."""
    return page.locator(f'.matrix .row[data-at="{at}"] [data-place="{place}"]')


def opened_heading(page, name):
    """The heading of the opened answer, once it is that of an id."""
    return page.get_by_role("dialog").get_by_role("heading", name=name, exact=True)


def focused(page):
    """Row and place of the cell with the focus; row -1 is the head."""
    return page.evaluate(
        "(() => { const cell = document.activeElement; return [Number(cell.parentElement.dataset.at ?? -1), Number(cell.dataset.place)] })()"
    )


def _in_order(page, selector):
    return page.evaluate(
        """selector => [...document.querySelectorAll('.matrix .row')]
            .sort((a, b) => a.dataset.at - b.dataset.at).map(row => row.querySelector(selector).textContent)""",
        selector,
    )
