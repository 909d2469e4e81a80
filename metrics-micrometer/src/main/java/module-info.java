/**
 * The figures of RNICs as meters of Micrometer.
 *
 * @since 0.1.0
 */
module io.verbena.micrometer {
    requires transitive io.verbena;
    requires transitive micrometer.core;
    requires static org.jspecify;

    exports io.verbena.micrometer;
}
