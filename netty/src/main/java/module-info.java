/**
 * A transport of Netty 4.2 over the verbs.
 *
 * @since 0.1.0
 */
module io.verbena.netty {
    requires transitive io.netty.buffer;
    requires transitive io.netty.common;
    requires transitive io.netty.transport;
    requires transitive io.verbena.sockets;
    requires static org.jspecify;

    exports io.verbena.netty;
}
