/** The command line. */
module io.verbena.tools {
    requires io.verbena;
    requires io.verbena.fabric;
    requires io.verbena.files;
    requires io.verbena.messaging;
    requires io.verbena.sim;
    requires io.verbena.sockets;
    requires io.verbena.storage;
    requires io.verbena.web;
    requires java.management;
    requires info.picocli;
    requires HdrHistogram;
    requires static org.jspecify;

    opens io.verbena.tools to
            info.picocli;
}
