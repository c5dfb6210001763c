"""Settings: defaults here, one TOML file over them, JUNOD_* environment over that; parsed once, frozen, validated.

A stage gets its own section and never the whole. Units are in the names.
"""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from platformdirs import PlatformDirs
from pydantic import ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from junod.errors import SettingsError
from junod.sections import (
    AudioSettings,
    BackupSettings,
    ClockSettings,
    DebounceSettings,
    DedupSettings,
    DeviceSettings,
    ExtractSettings,
    HabitsSettings,
    HouseholdSettings,
    LinksSettings,
    LogSettings,
    MemorySettings,
    ModelsSettings,
    PersonaSettings,
    PrivacySettings,
    RemindersSettings,
    RulesSettings,
    ScreenSettings,
    SttSettings,
    VadSettings,
    WebSettings,
    check_zone,
)

_DIRS = PlatformDirs("junod", appauthor=False)
SYSTEM_CONFIG = Path("/etc/junod/junod.toml")


class Settings(BaseSettings):
    """All sections. Build it with `load_settings`."""

    model_config = SettingsConfigDict(
        frozen=True,
        extra="forbid",
        env_prefix="JUNOD_",
        env_nested_delimiter="__",
        nested_model_default_partial_update=True,
    )

    household: HouseholdSettings = HouseholdSettings()
    device: DeviceSettings = DeviceSettings()
    audio: AudioSettings = AudioSettings()
    privacy: PrivacySettings = PrivacySettings()
    vad: VadSettings = VadSettings()
    stt: SttSettings = SttSettings()
    debounce: DebounceSettings = DebounceSettings()
    extract: ExtractSettings = ExtractSettings()
    memory: MemorySettings = MemorySettings()
    backup: BackupSettings = BackupSettings()
    clock: ClockSettings = ClockSettings()
    dedup: DedupSettings = DedupSettings()
    habits: HabitsSettings = HabitsSettings()
    persona: PersonaSettings = PersonaSettings()
    links: LinksSettings = LinksSettings()
    rules: RulesSettings = RulesSettings()
    reminders: RemindersSettings = RemindersSettings()
    models: ModelsSettings = ModelsSettings()
    web: WebSettings = WebSettings()
    screen: ScreenSettings = ScreenSettings()
    log: LogSettings = LogSettings()


def load_settings(config: Path | None = None, *, overrides: dict[str, Any] | None = None) -> Settings:
    """Read settings once.

    Args:
        config: a TOML file that must exist; None looks in the places of `config_candidates` and may find none.
        overrides: command-line values, section -> key -> value; they win over everything.

    Raises:
        SettingsError: names the key, where it was read and what is allowed.
    """
    path = find_config(config)
    if path is not None:
        _read_toml(path)  # a syntax error is reported with its place before pydantic sees the file
    try:
        return _with_toml(path)(**(overrides or {}))
    except ValidationError as error:
        raise _settings_error(error, path) from error


def find_config(config: Path | None) -> Path | None:
    """The TOML file in force, or None."""
    if config is not None:
        if not config.is_file():
            raise SettingsError(f"There is no settings file {config}.", hint="Give --config an existing TOML file.")
        return config
    return next((path for path in config_candidates() if path.is_file()), None)


def config_candidates() -> tuple[Path, ...]:
    """Where settings are looked for, first found wins: JUNOD_CONFIG, the user's folder, /etc."""
    named = os.environ.get("JUNOD_CONFIG", "")
    if named:
        return (find_named(Path(named)),)
    return (user_config(), SYSTEM_CONFIG)


def user_config() -> Path:
    """The user's own settings file, whether or not there is one."""
    return Path(_DIRS.user_config_dir) / "junod.toml"


def find_named(path: Path) -> Path:
    if not path.is_file():
        raise SettingsError(f"JUNOD_CONFIG names {path}, which does not exist.", hint="Correct or unset JUNOD_CONFIG.")
    return path


def data_dir() -> Path:
    """Where the database and the models live: systemd's state folder, JUNOD_DATA_DIR, or the user's data folder."""
    for variable in ("JUNOD_DATA_DIR", "STATE_DIRECTORY"):
        value = os.environ.get(variable, "")
        if value:
            return Path(value.split(":")[0])
    return Path(_DIRS.user_data_dir)


def runtime_dir() -> Path:
    """Where the running daemon shows its state (memory-backed where the system has it)."""
    for variable in ("JUNOD_RUNTIME_DIR", "RUNTIME_DIRECTORY"):
        value = os.environ.get(variable, "")
        if value:
            return Path(value.split(":")[0])
    return Path(_DIRS.user_runtime_dir)


def database_path(settings: Settings) -> Path:
    return settings.memory.path or data_dir() / "junod.db"


def models_dir(settings: Settings) -> Path:
    return settings.models.path or data_dir() / "models"


def household_zone(settings: Settings) -> ZoneInfo:
    """The household's zone: the setting, else TZ, else the system's; UTC where none can be read.

    Raises:
        SettingsError: TZ is set to something that is not an IANA zone.
    """
    if settings.household.timezone:
        return check_zone(settings.household.timezone)
    named = os.environ.get("TZ", "").lstrip(":")
    if named:
        try:
            return check_zone(named)
        except ValueError as error:
            raise SettingsError(
                f"TZ={named} is not an IANA time zone.",
                hint="Unset TZ, or set household.timezone to, say, Europe/Berlin.",
            ) from error
    return _system_zone()


def _system_zone() -> ZoneInfo:
    try:
        target = os.path.realpath("/etc/localtime")
        return ZoneInfo(target.split("/zoneinfo/", 1)[1]) if "/zoneinfo/" in target else ZoneInfo("UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        print("junod: the system's time zone cannot be read; using UTC. Set household.timezone.", file=sys.stderr)
        return ZoneInfo("UTC")


def _with_toml(path: Path | None) -> type[Settings]:
    class Layered(Settings):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            sources = [init_settings, env_settings]
            if path is not None:
                sources.append(TomlConfigSettingsSource(settings_cls, path))
            return tuple(sources)

    return Layered


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))  # a lone carriage return is no end of a line in TOML
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, lists in lists without end
        raise SettingsError(f"{path} is not valid TOML: {error}.", hint="Correct that line.") from error
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.", hint="Check its permissions.") from error


def _settings_error(error: ValidationError, path: Path | None) -> SettingsError:
    lines = [_one_problem(str_path(problem["loc"]), problem, path) for problem in error.errors()]
    return SettingsError("; ".join(lines) + ".", hint="`junod config show` lists every key with its range.")


def str_path(location: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in location)


def _one_problem(key: str, problem: Any, path: Path | None) -> str:
    variable = "JUNOD_" + key.upper().replace(".", "__")
    origin = (
        f"environment variable {variable}" if variable in os.environ else str(path or "command line or environment")
    )
    if problem["type"] == "extra_forbidden":
        return f"{origin}: unknown key '{key}'"
    return f"{origin}: '{key}' = {problem['input']!r}: {problem['msg']}"
