/** Messages between ranks, over the verbs: channels with buffer enlargement, and a communicator on top. */
module io.verbena.messaging {
    requires transitive io.verbena;
    requires jdk.jfr;
    requires static org.jspecify;

    exports io.verbena.messaging;
    exports io.verbena.messaging.channel;
    exports io.verbena.messaging.collective;
    exports io.verbena.messaging.launch;
    exports io.verbena.messaging.start;
    exports io.verbena.messaging.policy;
}
