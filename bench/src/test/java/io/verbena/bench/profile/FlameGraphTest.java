package io.verbena.bench.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FlameGraphTest {

    private static final List<String> WRITE = List.of(
            "verbena-engine",
            "io.verbena.host.engine.EngineThread.run",
            "io.verbena.engine.RnicEngine.turn",
            "io.verbena.host.socket.SocketStream.write",
            "sun.nio.ch.SocketChannelImpl.write",
            "sun.nio.ch.SocketDispatcher.write0");
    private static final List<String> COPY = List.of(
            "verbena-engine",
            "io.verbena.host.engine.EngineThread.run",
            "io.verbena.engine.RnicEngine.turn",
            "io.verbena.memory.Region.copyOut");

    private static StackTree tree() {
        StackTree tree = new StackTree("all");
        tree.add(WRITE, 600);
        tree.add(COPY, 300);
        tree.add(COPY.subList(0, 3), 99);
        tree.add(List.of("main", "Rare.method"), 1);
        return tree;
    }

    @Test
    void sameFrames_areFoldedIntoOne() {
        StackTree engine = tree().callees().getLast();
        assertEquals("verbena-engine", engine.frame());
        assertEquals(999, engine.samples());
        StackTree turn = engine.callees().getFirst().callees().getFirst();
        assertEquals(2, turn.callees().size());
        assertEquals(99, turn.ownSamples());
        assertEquals(6, tree().depth(2));
    }

    @Test
    void everyStack_isVisitedWithItsOwnSamples() {
        List<String> reported = new ArrayList<>();
        tree().forEachStack((stack, samples) -> reported.add(stack.getLast() + " " + samples));
        assertEquals(
                List.of(
                        "Rare.method 1",
                        "io.verbena.engine.RnicEngine.turn 99",
                        "sun.nio.ch.SocketDispatcher.write0 600",
                        "io.verbena.memory.Region.copyOut 300"),
                reported);
    }

    @Test
    void rooms_innermostFrameThatIsKnown_decides() {
        assertEquals(Room.SYSTEM_WRITE, Room.of(WRITE));
        assertEquals(Room.COPY, Room.of(COPY));
        assertEquals(Room.RNIC, Room.of(COPY.subList(0, 3)));
        assertEquals(Room.OTHER, Room.of(List.of("main", "java.lang.Thread.run")));
        assertEquals(Room.SYSTEM_SELECT, Room.of(List.of("main", "sun.nio.ch.EPoll.wait")));
        assertEquals(Room.HOST, Room.of(List.of("main", "io.verbena.host.engine.EngineThread.run")));
    }

    @Test
    void directSystemCalls_areKnownByTheirCaller() {
        String linker = "java.lang.invoke.LambdaForm$MH.invoke";
        assertEquals(Room.SYSTEM_WRITE, Room.of(List.of("main", "io.verbena.host.LinuxSocket.writev", linker)));
        assertEquals(Room.SYSTEM_READ, Room.of(List.of("main", "io.verbena.host.LinuxSocket.recv", linker)));
        assertEquals(Room.SYSTEM_SELECT, Room.of(List.of("main", "io.verbena.host.LinuxLoop.epollWait", linker)));
        assertEquals(Room.SYSTEM_WRITE, Room.of(List.of("main", "io.verbena.host.system.Linux.send")));
        assertEquals(
                Room.SYSTEM_READ,
                Room.of(List.of(
                        "main", "io.verbena.host.system.Linux.recv", "io.verbena.host.system.Linux.call", linker)));
    }

    @Test
    void picture_hasBoxesWithShares_andLeavesOutTheRare() {
        String svg = new FlameGraph(tree(), "A title", "some words").toSvg();
        assertTrue(svg.contains("sun.nio.ch.SocketDispatcher.write0: 60.0 %"), svg);
        assertTrue(svg.contains("RnicEngine.turn"), svg);
        assertFalse(svg.contains("Rare.method"), svg);
    }

    @Test
    void noSamples_isRefused() {
        StackTree none = new StackTree("all");
        assertThrows(IllegalArgumentException.class, () -> new FlameGraph(none, "", ""));
    }

    @Test
    void labels_areShortenedToTheirBox() {
        assertEquals("RnicEngine.turn", FlameGraph.shortName("io.verbena.engine.RnicEngine.turn"));
        assertEquals("turn", FlameGraph.shortName("turn"));
        assertEquals("RnicEngine.turn", FlameGraph.shorten("RnicEngine.turn", 500));
        assertEquals("RnicE…", FlameGraph.shorten("RnicEngine.turn", 46));
        assertEquals("", FlameGraph.shorten("RnicEngine.turn", 20));
    }

    @Test
    void budget_sharesProcessorTime_amongRooms() {
        Budget budget = Budget.of(
                "64 KiB", Map.of("messages", 1000L, "ns", 20_000_000L, "cpuNs", 30_000_000L, "writes", 250L), tree());
        assertEquals("20.0", budget.elapsed());
        assertEquals("30.0", budget.cpu());
        assertEquals("18.0", budget.in(Room.SYSTEM_WRITE));
        assertEquals("9.00", budget.in(Room.COPY));
        assertEquals("", budget.in(Room.CHECKSUM));
        assertEquals("0.25", budget.writesEach());
        String table = Profiler.table(List.of(budget), "Here.");
        assertTrue(table.contains("| system: write | 18.0 |"), table);
        assertTrue(table.endsWith("Here.\n"), table);
    }
}
