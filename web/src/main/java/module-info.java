/**
 * The live view of RNICs: their figures in a browser, as JSON and for Prometheus.
 *
 * @since 0.1.0
 */
module io.verbena.web {
    requires transitive io.verbena;
    requires static org.jspecify;

    exports io.verbena.web;
}
