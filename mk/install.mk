# Installing, the Debian package, and the pages of the manual.

.PHONY: docs examples pictures install uninstall deb

docs: all ## write the generated pages: docs/queries.md, docs/schema.md, docs/log-format.md, docs/fisql.1
	docs/make-queries.sh $(BUILD)/fisql > docs/queries.md.tmp && mv docs/queries.md.tmp docs/queries.md
	docs/make-schema.sh schema.sql > docs/schema.md.tmp && mv docs/schema.md.tmp docs/schema.md
	docs/make-log-format.sh formats/log.h docs/log-format.md > docs/log-format.md.tmp && mv docs/log-format.md.tmp docs/log-format.md
	docs/make-man.sh $(BUILD)/fisql > docs/fisql.1.tmp && mv docs/fisql.1.tmp docs/fisql.1

examples: all ## write the manual's examples, those of QUERIES or all, from a new recording
	docs/make-examples.sh $(BUILD)/fisql docs/examples $(QUERIES)

pictures: all ## make README's pictures, docs/pictures, from real runs
	@tests/setup check
	docs/make-pictures.sh $(BUILD)

# One page for each command, and one of them all.
$(BUILD)/man: docs/make-man.sh $(BUILD)/fisql
	rm -rf $@ && mkdir -p $@
	docs/make-man.sh $(BUILD)/fisql > $@/fisql.1
	for command in $$($(BUILD)/fisql help --list | cut -f1 | grep -vxE 'help|version'); do \
	  docs/make-man.sh $(BUILD)/fisql $$command > $@/fisql-$$command.1 || exit 1; done
	gzip -9n $@/*.1

LIBRARY = $(DESTDIR)$(PREFIX)/lib/fisql
SHARE = $(DESTDIR)$(PREFIX)/share

install: all $(BUILD)/man ## install under $(DESTDIR)$(PREFIX)
	install -D -m 755 $(BUILD)/fisql $(DESTDIR)$(PREFIX)/bin/fisql
	install -d $(LIBRARY) $(SHARE)/man/man1 $(SHARE)/doc/fisql
	install -m 644 $(LIBRARIES) $(LIBRARY)
	install -D -m 644 collector/fisql.h $(DESTDIR)$(PREFIX)/include/fisql.h
	install -D -m 644 collector/fisql_trace.h $(DESTDIR)$(PREFIX)/include/fisql_trace.h
	install -m 644 $(BUILD)/man/*.1.gz $(SHARE)/man/man1
	install -D -m 644 cli/completion.bash $(SHARE)/bash-completion/completions/fisql
	install -m 644 README.md LICENSE packaging/copyright $(SHARE)/doc/fisql
	gzip -9nc CHANGELOG.md > $(SHARE)/doc/fisql/changelog.gz && chmod 644 $(SHARE)/doc/fisql/changelog.gz
	for file in $$(find docs tests/fixtures/words.lua -name '*.md' -o -name '*.svg' -o -name '*.png' -o -name '*.txt' \
	  -o -name '*.lua'); do \
	  install -D -m 644 $$file $(SHARE)/doc/fisql/$$file || exit 1; done

uninstall: ## remove what install put there
	rm -rf $(LIBRARY) $(SHARE)/doc/fisql
	rm -f $(DESTDIR)$(PREFIX)/bin/fisql $(addprefix $(DESTDIR)$(PREFIX)/include/,fisql.h fisql_trace.h)
	rm -f $(SHARE)/bash-completion/completions/fisql $(SHARE)/man/man1/fisql.1.gz $(SHARE)/man/man1/fisql-*.1.gz

deb: ## build a Debian package, $(BUILD)/fisql_VERSION_ARCHITECTURE.deb
	rm -rf $(BUILD)/deb
	$(MAKE) --no-print-directory -s PREFIX=/usr DESTDIR=$(abspath $(BUILD)/deb) install
	@! test -e $(BUILD)/gen/report_missing || { echo "fisql: make deb: the report's page is missing: install npm" >&2; exit 2; }
	packaging/deb.sh $(abspath $(BUILD)/deb) $(VERSION) $(BUILD)
