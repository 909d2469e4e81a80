/** Virtual time: one seed drives RNICs, streams and their faults in one thread. */
module io.verbena.sim {
    requires transitive io.verbena;
    requires java.logging;
    requires static org.jspecify;

    exports io.verbena.sim to
            io.verbena.fabric,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.sim.lan to
            io.verbena.fabric,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.sim.handlers to
            io.verbena.tools;
    exports io.verbena.sim.model to
            io.verbena.tools,
            io.verbena.interop;
}
