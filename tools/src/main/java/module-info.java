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
    opens io.verbena.tools.command to
            info.picocli;
    opens io.verbena.tools.connections to
            info.picocli;
    opens io.verbena.tools.copy to
            info.picocli;
    opens io.verbena.tools.disk to
            info.picocli;
    opens io.verbena.tools.exchange to
            info.picocli;
    opens io.verbena.tools.fabric.command to
            info.picocli;
    opens io.verbena.tools.handlers to
            info.picocli;
    opens io.verbena.tools.holes to
            info.picocli;
    opens io.verbena.tools.impair to
            info.picocli;
    opens io.verbena.tools.launch to
            info.picocli;
    opens io.verbena.tools.memory to
            info.picocli;
    opens io.verbena.tools.messaging to
            info.picocli;
    opens io.verbena.tools.net to
            info.picocli;
    opens io.verbena.tools.observe to
            info.picocli;
    opens io.verbena.tools.osu to
            info.picocli;
    opens io.verbena.tools.perftest to
            info.picocli;
    opens io.verbena.tools.ping to
            info.picocli;
    opens io.verbena.tools.pingpong to
            info.picocli;
    opens io.verbena.tools.sim to
            info.picocli;
    opens io.verbena.tools.sockets to
            info.picocli;
    opens io.verbena.tools.text to
            info.picocli;
}
