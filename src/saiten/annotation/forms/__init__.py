"""The annotation forms, one file each."""

from saiten.annotation.forms.approve import ApproveForm
from saiten.annotation.forms.aspects import AspectsForm
from saiten.annotation.forms.form import Form
from saiten.annotation.forms.gist import GistForm
from saiten.annotation.forms.grade import CorrectForm, GradeForm
from saiten.annotation.forms.preference import PreferenceForm

FORMS: dict[str, type[Form]] = {
    form.title: form for form in (GradeForm, CorrectForm, AspectsForm, GistForm, PreferenceForm, ApproveForm)
}
"""Forms by the value of --form."""

__all__ = ["FORMS", "ApproveForm", "AspectsForm", "CorrectForm", "Form", "GistForm", "GradeForm", "PreferenceForm"]
