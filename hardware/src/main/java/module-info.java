/**
 * The verbs over a real adapter, through libibverbs and librdmacm.
 *
 * @since 0.1.0
 */
module io.verbena.hardware {
    requires transitive io.verbena;
    requires static org.jspecify;

    exports io.verbena.hardware.abi;
    exports io.verbena.hardware.abi.cm;
    exports io.verbena.hardware.provider;

    provides io.verbena.verbs.RnicProvider with
            io.verbena.hardware.provider.IbverbsProvider;
}
