package io.verbena.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.port.faults.PathCuts;
import io.verbena.tools.picture.Pictures;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TimelineTest {

    private static final long MS = 1_000_000;

    @Test
    void cut_isReadAndPrinted() {
        assertEquals(Optional.of(new PathCut(3, 2_000 * MS, Long.MAX_VALUE)), PathCut.parse("3@2s"));
        assertEquals(Optional.of(new PathCut(12, 500 * MS, 3_500 * MS)), PathCut.parse("12@0.5s-3.5s"));
        assertEquals("12@0.5s-3.5s", PathCut.parse("12@0.5s-3.5s").orElseThrow().toString());
        for (String wrong : List.of(
                "", "3", "3@", "3@2", "@2s", "3@2s-", "3@2s-1s", "3@2s-2s", "-1@2s", "3@-2s", "333@1s", "3@1e9s")) {
            assertEquals(Optional.empty(), PathCut.parse(wrong), wrong);
        }
    }

    /** 100 bytes in each millisecond, except from 200 to 230 ms; then 88. */
    private static Timeline course(PathCut... cuts) {
        Timeline timeline = new Timeline(new PathFaults(8, List.of(cuts), new PathCuts()));
        long bytes = 0;
        for (int ms = 0; ms < 500; ms++) {
            bytes += ms < 200 ? 100 : ms < 230 ? 0 : 88;
            timeline.at(ms * MS, bytes);
        }
        return timeline;
    }

    @Test
    void course_ratesGapAndRecovery() {
        Timeline timeline = course(new PathCut(3, 200 * MS, Long.MAX_VALUE));
        assertEquals(100_000, timeline.rate(0, 200 * MS));
        assertEquals(88_000, timeline.rate(240 * MS, 400 * MS));
        assertEquals(30 * MS, timeline.recoveryNs(), 10 * MS);
        String json = timeline.json().toString();
        assertTrue(json.contains("\"longestGapNs\":31000000,\"longestGapAtNs\":199000000"), json);
        assertTrue(json.contains("\"bytes\":[1000,1000,"), json);
        assertTrue(
                timeline.sentences().getFirst().contains("31 ms"),
                () -> timeline.sentences().toString());
        assertTrue(Pictures.texts(Pictures.parse(timeline.svg("a test"))).contains("cut 3@0.2s"));
    }

    @Test
    void withoutCompletions_thereIsAPicture() {
        Timeline timeline =
                new Timeline(new PathFaults(2, List.of(PathCut.parse("1@1s").orElseThrow()), new PathCuts()));
        timeline.at(0, 0);
        assertEquals(-1, timeline.recoveryNs());
        assertEquals(0, timeline.rate(0, 100));
        assertTrue(!Pictures.texts(Pictures.parse(timeline.svg(""))).isEmpty());
    }

    @Test
    void transport_isLeftOnceAtEachTime_andEachGapCounts() {
        assertEquals(Optional.of(2_500 * MS), TransportCuts.parse("2.5s"));
        for (String wrong : List.of("", "s", "2", "-1s", "1@2s", "1e3s")) {
            assertEquals(Optional.empty(), TransportCuts.parse(wrong), wrong);
        }
        int[] left = {0};
        Timeline timeline = new Timeline(new TransportCuts(List.of(400 * MS, 200 * MS), () -> left[0]++));
        long bytes = 0;
        for (int ms = 0; ms < 600; ms++) {
            assertEquals(ms > 400 ? 2 : ms > 200 ? 1 : 0, left[0], "at " + ms);
            bytes += ms > 200 && ms < 230 || ms > 401 && ms < 460 ? 0 : 100;
            timeline.at(ms * MS, bytes);
        }
        String json = timeline.json().toString();
        assertTrue(json.contains("\"cuts\":[\"0.2s\",\"0.4s\"],\"gapsNs\":[30000000,59000000]"), json);
        assertTrue(Pictures.texts(Pictures.parse(timeline.svg("a test"))).contains("cut 0.4s"));
    }
}
