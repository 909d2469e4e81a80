package io.verbena.proofs.hazelcast;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.FreePort;
import io.verbena.proofs.Program;
import io.verbena.proofs.Running;
import io.verbena.proofs.Scale;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Two members, started by the class that Hazelcast itself is started by and by a program that embeds it. */
class HazelcastProofTest {

    private static final int ENTRIES = 100_000;

    @ParameterizedTest
    @MethodSource("io.verbena.proofs.Carrier#chosen")
    void entriesOfADistributedMap_areRead(Carrier carrier, @TempDir Path directory) throws Exception {
        int first = FreePort.find();
        int second = FreePort.find();
        try (Running member =
                program(carrier, directory, first, second).start("com.hazelcast.core.server.HazelcastMemberStarter")) {
            member.awaitLine("is STARTED");
            try (Running embedding = program(carrier, directory, second, first)
                    .start(Member.class.getName(), String.valueOf(Scale.of(ENTRIES)))) {
                embedding.awaitSuccess();
                long leastBytes = Scale.of(ENTRIES) * (long) Member.BYTES;
                embedding.testimony().requireCarriedBy(carrier, 1, leastBytes);
                member.testimony().requireCarriedBy(carrier, 1, leastBytes);
            }
        }
    }

    private static Program program(Carrier carrier, Path directory, int own, int other) throws IOException {
        Path file = directory.resolve("hazelcast-" + own + ".xml");
        Files.writeString(file, """
                <hazelcast xmlns="http://www.hazelcast.com/schema/config">
                    <cluster-name>proof</cluster-name>
                    <properties>
                        <property name="hazelcast.phone.home.enabled">false</property>
                        <property name="hazelcast.logging.type">jdk</property>
                        <property name="hazelcast.socket.bind.any">false</property>
                    </properties>
                    <network>
                        <port auto-increment="false">%d</port>
                        <join>
                            <auto-detection enabled="false"/>
                            <multicast enabled="false"/>
                            <tcp-ip enabled="true">
                                <member>127.0.0.1:%d</member>
                            </tcp-ip>
                        </join>
                        <interfaces enabled="true">
                            <interface>127.0.0.1</interface>
                        </interfaces>
                    </network>
                </hazelcast>
                """.formatted(own, other));
        return new Program(carrier, directory).with("-Xmx512m", "-Dhazelcast.config=" + file);
    }
}
