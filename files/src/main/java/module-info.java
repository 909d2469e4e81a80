/** The file service behind {@code verbena serve} and {@code verbena cp}, over the verbs. */
module io.verbena.files {
    requires transitive io.verbena;
    requires static org.jspecify;

    exports io.verbena.files;
    exports io.verbena.files.failure;
    exports io.verbena.files.store;
}
