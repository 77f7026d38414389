"""`saiten prompts`: what models are asked, and prompts of one's own."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from saiten.cli.output import print_path, stdout
from saiten.cli.shared_options import FormatOption
from saiten.records import Language

app = typer.Typer(add_completion=False)

_PromptsOption = Annotated[
    str | None, typer.Option("--prompts", help="Folder of prompts, or a preset, instead of saiten's.")
]


@app.callback(invoke_without_command=True)
def prompts(context: typer.Context, form: FormatOption = "table") -> None:
    """List the prompts and presets; show, copy or check prompts.

    --prompts FOLDER replaces some of saiten's prompts with those of a folder, in every command that calls a model. So
    do `prompts` in saiten.toml and saiten.evaluate(…, prompts=FOLDER). A preset, such as paper-accuracy, can be named
    instead of a folder.

    Examples:
      saiten prompts
      saiten prompts show verify_statements --language ja
      saiten prompts copy our_prompts verify_statements
      saiten prompts check our_prompts
      saiten score answers.jsonl -m faithfulness --judge openai:gpt-4o-mini --prompts our_prompts
    """
    if context.invoked_subcommand is None:
        from saiten.cli.prompt_files import prompt_tables
        from saiten.views.render import render

        render(prompt_tables(), form, stdout())


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="Name of the prompt.")],
    language: Annotated[Language, typer.Option(help="Language of the prompt.")] = "en",
    reply: Annotated[
        str, typer.Option(help="Form of the reply: json, or another that the prompt has (marker, prometheus).")
    ] = "json",
    without: Annotated[list[str] | None, typer.Option(help="Leave out this optional input. Repeatable.")] = None,
    own: _PromptsOption = None,
) -> None:
    """Print exactly what is sent to a model, with a placeholder for each input.

    Examples:
      saiten prompts show verify_statements --language ja
      saiten prompts show grade_answer --reply prometheus --without parts
      saiten prompts show grade_answer --prompts paper-graded-correctness
    """
    from saiten.cli.prompt_files import shown

    stdout().print(Text(shown(name, language, reply, without or (), own)), soft_wrap=True)


@app.command()
def copy(
    folder: Annotated[Path, typer.Argument(help="Folder to copy to; made if it does not exist.")],
    names: Annotated[list[str] | None, typer.Argument(help="Names of prompts. Default: all.")] = None,
    own: _PromptsOption = None,
) -> None:
    """Copy prompts into a folder for editing; no file is overwritten.

    Delete what you leave unchanged: for a prompt or language that the folder lacks, saiten's own is used.

    Examples:
      saiten prompts copy our_prompts verify_statements split_statements
      saiten prompts copy our_prompts --prompts paper-graded-correctness
    """
    from saiten.cli.prompt_files import copied

    for file in copied(folder, names or (), own):
        print_path(file)
    stdout().print(
        f"Edit them, then: saiten prompts check {folder}; use them with --prompts {folder}",
        markup=False,
        soft_wrap=True,
    )


@app.command()
def check(folder: Annotated[str, typer.Argument(help="Folder of prompts, or a preset.")]) -> None:
    """Check a folder of prompts: keys, placeholders, examples, and every form of the reply.

    Examples:
      saiten prompts check our_prompts

    Exit status: 0 all prompts are valid, 2 one is not; the message gives the file, the line, and what to do.
    """
    from saiten.wiring.prompt_uses import check_prompts

    for name, languages, forms in check_prompts(folder):
        said = f"{name}: {', '.join(sorted(languages))}; reply as {', '.join(forms) or 'text'}"
        stdout().print(said, markup=False, soft_wrap=True)
    stdout().print("all are in order")
