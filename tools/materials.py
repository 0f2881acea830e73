"""The software bill of materials of a release: what it is, and what it asks for."""

from __future__ import annotations

import hashlib
import zipfile
from datetime import datetime, timezone
from email.parser import Parser
from pathlib import Path
from uuid import UUID, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import (
    ExternalReference,
    ExternalReferenceType,
    HashAlgorithm,
    HashType,
    Property,
    XsUri,
)
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL
from packaging.requirements import Requirement

NAMESPACE = UUID("5c0f6a9e-9a1d-4b52-8d5e-3f1f0f7f2b66")  # of the serial numbers


def required(lines: list[str]) -> list[Component]:
    """Return the packages that a wheel asks for: those of extras are optional.

    A library asks for ranges of versions, so each has its requirements as properties.
    """
    found: dict[str, list[Requirement]] = {}
    for line in lines:
        requirement = Requirement(line)
        found.setdefault(requirement.name, []).append(requirement)
    return [
        Component(
            type=ComponentType.LIBRARY,
            name=name,
            bom_ref=name,
            purl=PackageURL("pypi", name=name.lower().replace("_", "-")),
            scope=ComponentScope.REQUIRED
            if any("extra" not in str(one.marker or "") for one in requirements)
            else ComponentScope.OPTIONAL,
            properties=[Property(name="python:requirement", value=str(r)) for r in requirements],
        )
        for name, requirements in found.items()
        if name != "mmeval-like"
    ]


def distribution(file: Path) -> ExternalReference:
    """Return a reference to a file of the release, with its digest."""
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return ExternalReference(
        type=ExternalReferenceType.DISTRIBUTION,
        url=XsUri(file.name),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)],
    )


def bill_of_materials(wheel: Path, sdist: Path, epoch: int) -> str:
    """Return the bill of materials as CycloneDX JSON. The same files give the same text.

    Raises:
        ValueError: The text does not follow CycloneDX's schema.
    """
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(archive.read(name).decode())
    version = metadata["Version"]
    package = Component(
        type=ComponentType.LIBRARY,
        name=metadata["Name"],
        version=version,
        bom_ref=metadata["Name"],
        description=metadata["Summary"],
        purl=PackageURL("pypi", name=metadata["Name"], version=version),
        licenses=[LicenseFactory().make_from_string("Apache-2.0")],
        external_references=[distribution(wheel), distribution(sdist)],
    )
    components = required(metadata.get_all("Requires-Dist", []))
    bom = Bom(
        components=components,
        serial_number=uuid5(NAMESPACE, hashlib.sha256(wheel.read_bytes()).hexdigest()),
        metadata=BomMetaData(
            component=package, timestamp=datetime.fromtimestamp(epoch, timezone.utc)
        ),
    )
    bom.register_dependency(package, components)
    text = JsonV1Dot6(bom).output_as_string(indent=2)
    if error := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        raise ValueError(f"the bill of materials does not follow CycloneDX 1.6: {error}")
    return f"{text}\n"
