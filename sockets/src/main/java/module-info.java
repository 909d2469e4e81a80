/** Stream sockets over the verbs, and a provider of NIO channels and selectors on top of them. */
module io.verbena.sockets {
    requires transitive io.verbena;
    requires jdk.jfr;
    requires static java.instrument;
    requires static org.jspecify;

    exports io.verbena.sockets.agent to
            java.instrument,
            io.verbena.tools;
    exports io.verbena.sockets.nio;
    exports io.verbena.sockets.proxy to
            io.verbena.tools;
    exports io.verbena.sockets.stream;
}
