# Installing, the Debian package, and the pages of the manual.

.PHONY: docs examples agents pictures install uninstall deb dist

docs: all ## write the generated pages: docs/queries.md, docs/schema.md, docs/log-format.md, docs/api.md, docs/fisql.1
	docs/make-queries.sh $(BUILD)/fisql > docs/queries.md.tmp && mv docs/queries.md.tmp docs/queries.md
	docs/make-schema.sh schema.sql > docs/schema.md.tmp && mv docs/schema.md.tmp docs/schema.md
	docs/make-log-format.sh formats/log.h docs/log-format.md > docs/log-format.md.tmp && mv docs/log-format.md.tmp docs/log-format.md
	docs/make-api.sh $(BUILD)/fisql > docs/api.md.tmp && mv docs/api.md.tmp docs/api.md
	docs/make-man.sh $(BUILD)/fisql > docs/fisql.1.tmp && mv docs/fisql.1.tmp docs/fisql.1

examples: all ## write the manual's examples, those of QUERIES or all, from a new recording
	docs/make-examples.sh $(BUILD)/fisql docs/examples $(QUERIES)

agents: all ## write docs/agents.md: the tools of fisql mcp, and dialogues that it ran
	docs/make-agents.py $(BUILD)/fisql > docs/agents.md.tmp && mv docs/agents.md.tmp docs/agents.md

pictures: all ## make README's pictures, docs/pictures, from real runs
	@tests/setup check
	docs/make-pictures.sh $(BUILD)

# One page for each command, and one of them all.
$(BUILD)/man: docs/make-man.sh packaging/ci/fisql-ci.1 $(BUILD)/fisql
	rm -rf $@ && mkdir -p $@
	docs/make-man.sh $(BUILD)/fisql > $@/fisql.1
	for command in $$($(BUILD)/fisql help --list | cut -f1 | grep -vxE 'help|version'); do \
	  docs/make-man.sh $(BUILD)/fisql $$command > $@/fisql-$$command.1 || exit 1; done
	sed 's|@VERSION@|$(VERSION)|' packaging/ci/fisql-ci.1 > $@/fisql-ci.1
	gzip -9n $@/*.1

LIBRARY = $(DESTDIR)$(PREFIX)/lib/fisql
SHARE = $(DESTDIR)$(PREFIX)/share

install: all $(BUILD)/man ## install under $(DESTDIR)$(PREFIX)
	install -D -m 755 $(BUILD)/fisql $(DESTDIR)$(PREFIX)/bin/fisql
	install -d $(LIBRARY) $(SHARE)/man/man1 $(SHARE)/doc/fisql
	install -m 644 $(LIBRARIES) $(LIBRARY)
	install -d $(LIBRARY)/prototypes
	for file in $(BUILD)/prototypes/*; do test $${file##*/} = made || install -m 644 $$file $(LIBRARY)/prototypes || exit 1; done
	install -D -m 644 collector/fisql.h $(DESTDIR)$(PREFIX)/include/fisql.h
	install -D -m 644 collector/fisql_trace.h $(DESTDIR)$(PREFIX)/include/fisql_trace.h
	install -d $(SHARE)/pkgconfig
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' packaging/fisql.pc.in > $(SHARE)/pkgconfig/fisql.pc
	chmod 644 $(SHARE)/pkgconfig/fisql.pc
	install -D -m 755 packaging/ci/fisql-ci $(DESTDIR)$(PREFIX)/bin/fisql-ci
	install -D -m 644 packaging/cmake/fisql.cmake $(SHARE)/fisql/cmake/fisql.cmake
	install -D -m 644 packaging/meson/fisql.ini $(SHARE)/fisql/meson/fisql.ini
	install -d $(SHARE)/fisql/bazel $(SHARE)/fisql/ci
	sed 's|/usr/share|$(PREFIX)/share|' packaging/bazel/fisql.bazelrc > $(SHARE)/fisql/bazel/fisql.bazelrc
	chmod 644 $(SHARE)/fisql/bazel/fisql.bazelrc
	install -m 755 packaging/bazel/fisql-gcc $(SHARE)/fisql/bazel
	install -m 644 packaging/ci/github.yml packaging/ci/gitlab.yml $(SHARE)/fisql/ci
	install -m 644 $(BUILD)/man/*.1.gz $(SHARE)/man/man1
	install -D -m 644 cli/completion.bash $(SHARE)/bash-completion/completions/fisql
	install -m 644 README.md LICENSE packaging/copyright $(SHARE)/doc/fisql
	gzip -9nc CHANGELOG.md > $(SHARE)/doc/fisql/changelog.gz && chmod 644 $(SHARE)/doc/fisql/changelog.gz
	for file in $$(find docs tests/fixtures/words.lua -name '*.md' -o -name '*.svg' -o -name '*.png' -o -name '*.txt' \
	  -o -name '*.lua'); do \
	  install -D -m 644 $$file $(SHARE)/doc/fisql/$$file || exit 1; done

uninstall: ## remove what install put there
	rm -rf $(LIBRARY) $(SHARE)/doc/fisql $(SHARE)/fisql
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,bin/fisql bin/fisql-ci share/pkgconfig/fisql.pc) $(addprefix $(DESTDIR)$(PREFIX)/include/,fisql.h fisql_trace.h)
	rm -f $(SHARE)/bash-completion/completions/fisql $(SHARE)/man/man1/fisql.1.gz $(SHARE)/man/man1/fisql-*.1.gz

deb: ## build a Debian package, $(BUILD)/fisql_VERSION_ARCHITECTURE.deb
	rm -rf $(BUILD)/deb
	$(MAKE) --no-print-directory -s PREFIX=/usr DESTDIR=$(abspath $(BUILD)/deb) install
	@! test -e $(BUILD)/gen/report_missing || { echo "fisql: make deb: the report's page is missing: install npm" >&2; exit 2; }
	packaging/deb.sh $(abspath $(BUILD)/deb) $(VERSION) $(BUILD)

dist: all ## make the source archive $(BUILD)/fisql-VERSION.tar.xz: it builds without git, npm and network
	packaging/dist.sh $(VERSION) $(BUILD)
