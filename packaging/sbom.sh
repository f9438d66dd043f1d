#!/bin/sh
# The software bill of materials of fisql, in SPDX 2.3 (https://spdx.github.io/spdx-spec/v2.3/): fisql itself, the drawing libraries
# that are bundled into the page of the report, with the versions of page/package-lock.json, and the libraries that it is linked
# with or opens. `make dist` puts it into the archive.
#
#   packaging/sbom.sh VERSION SECONDS    SECONDS since 1970: when it was made
set -eu
version=$1 seconds=$2
cd "$(dirname "$0")/.."
created=$(date -u -d "@$seconds" +%Y-%m-%dT%H:%M:%SZ)

# name, version or -, licence, how fisql uses it
parts() {
    # The libraries of the page: what npm installs for use, not for making the bundle.
    awk '
        /^    "node_modules\// { name = $1; sub(/^"node_modules\//, "", name); sub(/":$/, "", name); version = licence = ""; dev = 0 }
        name != "" && /^      "version":/ { split($0, part, "\""); version = part[4] }
        name != "" && /^      "license":/ { split($0, part, "\""); licence = part[4] }
        name != "" && /^      "dev": true/ { dev = 1 }
        name != "" && /^    }/ { if (!dev && version != "") print name, version, licence == "" ? "NOASSERTION" : licence, "STATIC_LINK"; name = "" }
    ' page/package-lock.json
    cat <<'LIST'
sqlite - blessing DYNAMIC_LINK
libdwarf - LGPL-2.1-only DYNAMIC_LINK
zydis - MIT DYNAMIC_LINK
zlib - Zlib DYNAMIC_LINK
zstd - BSD-3-Clause DYNAMIC_LINK
xz - LicenseRef-public-domain DYNAMIC_LINK
libiberty - LGPL-2.1-or-later STATIC_LINK
libcurl - curl OPTIONAL_DEPENDENCY_OF
libmicrohttpd - LGPL-2.1-or-later OPTIONAL_DEPENDENCY_OF
yajl - ISC OPTIONAL_DEPENDENCY_OF
libdebuginfod - LGPL-3.0-or-later OPTIONAL_DEPENDENCY_OF
LIST
}

parts | awk -v version="$version" -v created="$created" '
    function id(name) { gsub(/[^A-Za-z0-9.]/, "-", name); return "SPDXRef-" name }
    function package(name, version, licence) {
        return sprintf("    {\"SPDXID\": \"%s\", \"name\": \"%s\"%s, \"downloadLocation\": \"NOASSERTION\", \"filesAnalyzed\": false, \"licenseConcluded\": \"%s\", \"licenseDeclared\": \"%s\", \"copyrightText\": \"NOASSERTION\"}",
            id(name), name, version == "-" ? "" : ", \"versionInfo\": \"" version "\"", licence, licence)
    }
    {
        packages = packages ",\n" package($1, $2, $3)
        from = $4 == "OPTIONAL_DEPENDENCY_OF" ? id($1) : "SPDXRef-fisql"
        to = $4 == "OPTIONAL_DEPENDENCY_OF" ? "SPDXRef-fisql" : id($1)
        relations = relations sprintf(",\n    {\"spdxElementId\": \"%s\", \"relationshipType\": \"%s\", \"relatedSpdxElement\": \"%s\"}", from, $4, to)
    }
    END {
        printf "{\n  \"spdxVersion\": \"SPDX-2.3\",\n  \"dataLicense\": \"CC0-1.0\",\n  \"SPDXID\": \"SPDXRef-DOCUMENT\",\n"
        printf "  \"name\": \"fisql-%s\",\n  \"documentNamespace\": \"https://fisql.example.org/spdx/fisql-%s\",\n", version, version
        printf "  \"creationInfo\": {\"created\": \"%s\", \"creators\": [\"Tool: packaging/sbom.sh\"]},\n", created
        printf "  \"hasExtractedLicensingInfos\": [{\"licenseId\": \"LicenseRef-public-domain\", \"extractedText\": \"in the public domain\"}],\n"
        printf "  \"packages\": [\n%s%s\n  ],\n", package("fisql", version, "MIT"), packages
        printf "  \"relationships\": [\n    {\"spdxElementId\": \"SPDXRef-DOCUMENT\", \"relationshipType\": \"DESCRIBES\", \"relatedSpdxElement\": \"SPDXRef-fisql\"}%s\n  ]\n}\n", relations
    }'
