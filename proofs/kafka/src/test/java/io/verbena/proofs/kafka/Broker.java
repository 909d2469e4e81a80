package io.verbena.proofs.kafka;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.FreePort;
import io.verbena.proofs.Program;
import io.verbena.proofs.Running;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A Kafka broker that is its own controller. */
record Broker(Running running, String address) implements AutoCloseable {

    private static final String CLUSTER = "AAAAAAAAQACAAAAAAAAAAA"; // base 64 of a UUID of version 4

    /** Formats the storage, starts the broker and waits until it accepts clients. */
    static Broker start(Carrier carrier, Path directory) throws IOException, InterruptedException {
        int port = FreePort.find();
        return start(carrier, directory, port, port);
    }

    /**
     * The same, with further options of the JVM.
     *
     * @param port where it listens
     * @param advertised where clients reach it
     */
    static Broker start(Carrier carrier, Path directory, int port, int advertised, String... options)
            throws IOException, InterruptedException {
        int controllerPort = FreePort.find();
        Path file = directory.resolve("server.properties");
        Files.writeString(file, """
                process.roles=broker,controller
                node.id=1
                controller.quorum.voters=1@127.0.0.1:%2$d
                listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
                advertised.listeners=PLAINTEXT://127.0.0.1:%4$d
                controller.listener.names=CONTROLLER
                inter.broker.listener.name=PLAINTEXT
                log.dirs=%3$s
                num.partitions=1
                offsets.topic.num.partitions=1
                offsets.topic.replication.factor=1
                transaction.state.log.replication.factor=1
                transaction.state.log.min.isr=1
                share.coordinator.state.topic.replication.factor=1
                share.coordinator.state.topic.min.isr=1
                group.initial.rebalance.delay.ms=0
                """.formatted(port, controllerPort, directory.resolve("logs"), advertised));
        try (Running format = new Program(carrier, directory)
                .start("kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", file.toString())) {
            format.awaitSuccess();
        }
        Path log = directory.resolve("log4j2.properties");
        Files.writeString(log, """
                appender.out.type=Console
                appender.out.name=out
                appender.out.layout.type=PatternLayout
                appender.out.layout.pattern=%p %c %m%n%ex
                rootLogger.level=INFO
                rootLogger.appenderRef.out.ref=out
                """);
        Running broker = new Program(carrier, directory)
                .with("-Xmx768m", "-Dlog4j2.configurationFile=" + log)
                .with(options)
                .start("kafka.Kafka", file.toString());
        try {
            broker.awaitLine("Kafka Server started");
        } catch (AssertionError | InterruptedException e) {
            broker.close();
            throw e;
        }
        return new Broker(broker, "127.0.0.1:" + advertised);
    }

    @Override
    public void close() throws InterruptedException {
        running.close();
    }
}
