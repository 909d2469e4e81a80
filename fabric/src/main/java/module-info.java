/** The system area network: links, switches, adapters, topologies and their management, as engines in virtual time. */
module io.verbena.fabric {
    requires transitive io.verbena;
    requires transitive io.verbena.sim;
    requires static org.jspecify;

    exports io.verbena.fabric.endnode to
            io.verbena.tools;
    exports io.verbena.fabric.ibsim to
            io.verbena.tools;
    exports io.verbena.fabric.management to
            io.verbena.tools;
    exports io.verbena.fabric.manager to
            io.verbena.tools;
    exports io.verbena.fabric.routing to
            io.verbena.tools;
    exports io.verbena.fabric.topology to
            io.verbena.tools;
    exports io.verbena.fabric.link to
            io.verbena.tools;
    exports io.verbena.fabric.node to
            io.verbena.tools;
    exports io.verbena.fabric.traffic to
            io.verbena.tools;
}
