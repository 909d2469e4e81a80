package io.verbena.tools.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.ChannelMetrics;
import io.verbena.messaging.CommunicatorFigures;
import io.verbena.messaging.CommunicatorMetrics;
import io.verbena.messaging.channel.ChannelFigures;
import io.verbena.sockets.nio.SocketFigures;
import io.verbena.sockets.nio.SocketMetrics;
import io.verbena.sockets.nio.SocketTransport;
import io.verbena.sockets.proxy.ProxyFigures;
import io.verbena.sockets.proxy.ProxyMetrics;
import io.verbena.sockets.stream.StreamFigures;
import io.verbena.storage.service.DiskMetrics;
import io.verbena.storage.subsystem.CapsuleDrops;
import io.verbena.storage.subsystem.TargetFigures;
import io.verbena.verbs.Figure;
import io.verbena.verbs.Figures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The figures of all modules follow one rule, and docs/observing.md lists them. */
class KnownFiguresTest {

    private static final Path DOCUMENT = Path.of("../docs/observing.md");

    @Test
    void names_ofAllModules_areDistinct() {
        Set<String> names = new HashSet<>();
        KnownFigures.all().forEach(figure -> assertTrue(names.add(figure.name()), figure::name));
    }

    @Test
    void document_hasTheTable() throws IOException {
        String table = KnownFigures.beyondRnics().stream()
                .map(KnownFiguresTest::row)
                .collect(Collectors.joining(
                        "\n", "| figure | kind | unit | attribute | meaning |\n|---|---|---|---|---|\n", "\n"));
        assertTrue(Files.readString(DOCUMENT).contains(table), () -> "docs/observing.md must contain:\n" + table);
    }

    private static String row(Figure figure) {
        return "| `" + figure.name() + "` | " + figure.kind().name().toLowerCase(Locale.ROOT) + " | `" + figure.unit()
                + "` | " + (figure.attribute().isEmpty() ? "" : "`" + figure.attribute() + "`") + " | "
                + figure.description() + " |";
    }

    private static Set<Figure> used(Figures figures) {
        Set<Figure> used = new HashSet<>();
        figures.values().forEach(value -> used.add(value.figure()));
        figures.parts().forEach(part -> used.addAll(used(part)));
        return used;
    }

    @Test
    void socket_proxyAndChannel_haveEachOfTheirFigures() {
        StreamFigures.Direction direction = new StreamFigures.Direction(1, 2, 3, 4);
        SocketFigures socket = new SocketFigures(
                1,
                new SocketFigures.Route("a:1", "b:2", true),
                SocketTransport.TCP,
                "the option rdma does not have the peer",
                StreamFigures.plain(direction, direction));
        assertEquals(Set.copyOf(SocketMetrics.all()), used(SocketMetrics.of(socket)));
        ProxyFigures proxy = new ProxyFigures(new ProxyFigures.Connections(1, 2, 3, 4, 5), 6, 7);
        assertEquals(Set.copyOf(ProxyMetrics.all()), used(ProxyMetrics.of(proxy)));
        ChannelFigures channel = new ChannelFigures(
                new ChannelFigures.Buffers(1, 2, 3, 4),
                new ChannelFigures.Changes(5, 6, 7, 8),
                new ChannelFigures.Elements(9, 10, 11, 12, 13, 14),
                new ChannelFigures.Messages(15, 16));
        assertEquals(Set.copyOf(ChannelMetrics.all()), used(ChannelMetrics.of("peer", channel)));
        CommunicatorFigures communicator =
                new CommunicatorFigures(4, new CommunicatorFigures.Operations(5, 3, 2, 100, 9), 1);
        assertEquals(Set.copyOf(CommunicatorMetrics.all()), used(CommunicatorMetrics.of("world", communicator)));
    }

    @Test
    void target_withoutDisks_hasItsMemory() {
        Figures figures = DiskMetrics.of(new TargetFigures(List.of(), List.of(), 5, new CapsuleDrops(6, 7)));
        assertEquals(5, figures.values().getFirst().number());
    }
}
