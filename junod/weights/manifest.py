"""models/manifest.toml as frozen records: which files a model consists of, and who holds the same bytes."""

from __future__ import annotations

import tomllib
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from junod.errors import ModelError
from junod.resources import data_file

MANIFEST = "models/manifest.toml"

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Role = Literal["extractor", "speech-to-text", "embedder", "gate"]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Part(_Record):
    """One stretch of a file: a member of a wheel on the package index."""

    package: str = Field(pattern=r"^[A-Za-z0-9._-]+==[A-Za-z0-9.]+$")
    member: str
    size: int = Field(gt=0)
    sha256: Sha256


class WeightFile(_Record):
    """A file of a model, as one source holds it. `path` is relative to the model's folder."""

    path: str
    size: int = Field(gt=0)
    sha256: Sha256
    parts: tuple[Part, ...] = ()

    @field_validator("path")
    @classmethod
    def _stays_inside(cls, value: str) -> str:
        pure = PurePosixPath(value)
        if pure.is_absolute() or ".." in pure.parts or not pure.parts:
            raise ValueError("must be a relative path inside the model's folder")
        return value

    @model_validator(mode="after")
    def _parts_add_up(self) -> Self:
        if self.parts and sum(part.size for part in self.parts) != self.size:
            raise ValueError(f"the parts of {self.path} do not add up to its size")
        return self


class Archive(WeightFile):
    """A zip file, in parts, that holds the model's files."""

    inside: str
    """The folder in it where they are."""


class Source(_Record):
    """Somewhere the whole model can be had: a hub repository at one revision, packages on the index, another model."""

    kind: Literal["hub", "packages", "model"]
    repo: str = ""
    revision: str = ""
    files: tuple[WeightFile, ...] = Field(min_length=1)
    archive: Archive | None = None
    """Where packages hold the files together; else each has parts of its own."""
    of: str = ""
    """The model of this manifest that a 'model' source is cut out of; it has one GGUF file, and so has the cut."""
    layers: int = 0
    """How many of its lower layers are kept."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.kind == "hub" and not (self.repo and self.revision):
            raise ValueError("a hub source needs repo and revision")
        bare = [file for file in (self.archive,) if file] or self.files
        if self.kind == "packages" and not all(file.parts for file in bare):
            raise ValueError("each file of a packages source needs parts")
        if self.kind == "model" and not (self.of and self.layers > 0 and len(self.files) == 1):
            raise ValueError("a model source needs of, layers and one file")
        return self

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)

    @property
    def fetched(self) -> int:
        """Bytes to be fetched for all of it."""
        return self.archive.size if self.archive else self.size


class Model(_Record):
    """A model junod can use by name. Its sources may hold different conversions; each states its own files."""

    name: Name
    role: Role
    licence: str
    default: bool = False
    about: str
    sources: tuple[Source, ...] = Field(min_length=1)


class Manifest(_Record):
    models: tuple[Model, ...]

    @model_validator(mode="after")
    def _unique(self) -> Self:
        names = [model.name for model in self.models]
        if len(names) != len(set(names)):
            raise ValueError("two models have the same name")
        cut_from = {source.of for model in self.models for source in model.sources if source.of}
        if cut_from - set(names):
            raise ValueError(f"there is no model {min(cut_from - set(names))} to cut layers out of")
        return self

    def find(self, name: str) -> Model:
        """The model called `name`; ModelError lists the names there are."""
        for model in self.models:
            if model.name == name:
                return model
        known = ", ".join(model.name for model in self.models)
        raise ModelError(f"There is no model '{name}' in the manifest.", hint=f"It knows: {known}.")

    def names(self, *, default_only: bool = False) -> tuple[str, ...]:
        return tuple(model.name for model in self.models if model.default or not default_only)


def load_manifest(path: Path | None = None) -> Manifest:
    """Read the manifest (None: the one shipped with junod).

    Raises:
        ModelError: unreadable, not TOML, or not a manifest.
    """
    path = path or data_file(MANIFEST)
    try:
        return Manifest.model_validate(tomllib.loads(path.read_text("utf-8")))
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.", hint="Check its permissions.") from error
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(str(part) for part in problem["loc"])
        raise ModelError(f"{path}: {place}: {problem['msg']}.", hint="Correct it or install junod again.") from error
    except (ValueError, RecursionError) as error:  # also a number of thousands of digits, lists in lists without end
        raise ModelError(f"{path} is not valid TOML: {error}.", hint="Correct it or install junod again.") from error
