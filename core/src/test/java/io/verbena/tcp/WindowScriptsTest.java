package io.verbena.tcp;

import org.junit.jupiter.api.Test;

/** The window of the peer: RFC 9293 section 3.8.6 [note] and its subsections. */
class WindowScriptsTest {

    private static final String SMALL = Script.accepted(2_000, "mss 1000 sackOK");

    // RFC 9293 sections 3.8.6 [2] and 3.8.6.1 [1]: a closed window is probed at growing intervals.
    @Test
    void windowClosed_isProbedAtDoubledIntervals() {
        Script.run(SMALL + """
                +0    write 4000
                +0    > . 1:1001
                +0    > . 1001:2001
                +0.01 < . 1:1 ack 2001 win 0
                +0.2  > . 2000:2000
                +0.01 < . 1:1 ack 2001 win 0
                +0.39 > . 2000:2000
                +0.01 < . 1:1 ack 2001 win 0
                +0.79 > . 2000:2000
                +0.01 < . 1:1 ack 2001 win 5000
                +0    > . 2001:3001
                +0    > P. 3001:4001
                """);
    }

    // RFC 9293 section 3.8.6.1 [2]: the connection stays open as long as probes are acknowledged.
    @Test
    void windowClosed_forTenMinutes_connectionStaysOpen() {
        StringBuilder script = new StringBuilder(SMALL).append("""
                +0    write 4000
                +0    > . 1:1001
                +0    > . 1001:2001
                +0.01 < . 1:1 ack 2001 win 0
                """);
        double intervalS = 0.2;
        for (int i = 0; i < 16; i++) {
            script.append("+%.3f > . 2000:2000\n+0 < . 1:1 ack 2001 win 0\n".formatted(intervalS));
            intervalS = Math.min(60, 2 * intervalS);
        }
        Script.run(script + """
                +0    state ESTABLISHED
                +1    < . 1:1 ack 2001 win 5000
                +0    > . 2001:3001
                +0    > P. 3001:4001
                """);
    }

    @Test
    void windowClosed_probesUnanswered_endTheConnection() {
        StringBuilder script = new StringBuilder(SMALL).append("""
                +0    write 4000
                +0    > . 1:1001
                +0    > . 1001:2001
                +0.01 < . 1:1 ack 2001 win 0
                """);
        for (double intervalS = 0.2; intervalS < 60; intervalS *= 2) {
            script.append("+%.3f > . 2000:2000\n".formatted(intervalS));
        }
        Script.run(script + """
                +60   broken SILENT
                """);
    }

    // RFC 9293 section 3.8.6 [1]: the peer may move its window to the left.
    @Test
    void windowShrinks_whatIsInFlightIsRepairedAndNothingNewIsSent() {
        Script.run(Script.accepted(4_000, "mss 1000 sackOK") + """
                +0    write 6000
                +0    > . 1:1001
                +0    > . 1001:2001
                +0    > . 2001:3001
                +0    > . 3001:4001
                +0.01 < . 1:1 ack 1001 win 1000
                +0.022 > . 1001:2001
                +0.2  > . 1001:2001
                +0.01 < . 1:1 ack 4001 win 2000
                +0    > . 4001:5001
                +0    > P. 5001:6001
                """);
    }

    // RFC 9293 section 3.8.6.2.1 [1]: no small segment because the window opens a little.
    @Test
    void windowOpensALittle_noSmallSegmentIsSentAtOnce() {
        Script.run(SMALL + """
                +0    write 4000
                +0    > . 1:1001
                +0    > . 1001:2001
                +0.01 < . 1:1 ack 2001 win 500
                +0.2  > . 2001:2501
                +0.01 < . 1:1 ack 2501 win 2000
                +0    > . 2501:3501
                +0    > P. 3501:4001
                """);
    }

    @Test
    void windowAlwaysSmall_halfOfItIsUsed() {
        Script.run(Script.accepted(600, "mss 1000 sackOK") + """
                +0    write 1500
                +0    > . 1:601
                +0.01 < . 1:1 ack 601 win 600
                +0    > . 601:1201
                +0.01 < . 1:1 ack 1201 win 600
                +0    > P. 1201:1501
                """);
    }

    // RFC 9293 section 3.1 [1]: the window is unsigned.
    @Test
    void windowAbove32767_isNotNegative() {
        Script.run(Script.accepted(65_535, "mss 1000 sackOK") + """
                +0    write 1000
                +0    > . 1:1001
                """);
    }

    // RFC 9293 section 3.10.7.4 [note]: SND.WL1 and SND.WL2.
    @Test
    void oldSegment_doesNotChangeTheWindow() {
        Script.run(SMALL + """
                +0    < . 1:101 ack 1 win 2000
                +0    < . 101:201 ack 1 win 3000
                +0    < . 1:1 ack 1 win 0
                +0    > . ack 201
                +0    write 3000
                +0    > . 1:1001
                +0    > . 1001:2001
                +0    > P. 2001:3001
                """);
    }

    // RFC 9293 section 3.8.6.1 [2]: the time in which nothing was to be sent says nothing about the peer.
    @Test
    void windowClosed_whileNothingIsToBeSent_isProbedBeforeThePeerIsGivenUp() {
        Script.run(SMALL + """
                +0    write 2000
                +0    > . 1:1001
                +0    > P. 1001:2001
                +0.01 < . 1:1 ack 2001 win 0
                +600  write 1000
                +0.2  > . 2000:2000
                +0    state ESTABLISHED
                +0.01 < . 1:1 ack 2001 win 5000
                +0    > P. 2001:3001
                """);
    }

    // RFC 6429: without an owner, a peer that keeps its window closed does not hold the connection.
    @Test
    void windowClosed_andTheConnectionToo_peerIsGivenUpAlthoughItAnswersProbes() {
        StringBuilder script = new StringBuilder(SMALL).append("""
                +0    write 4000
                +0    > . 1:1001
                +0    > . 1001:2001
                +0.01 < . 1:1 ack 2001 win 0
                +0    close
                """);
        double intervalS = 0.2;
        for (int i = 0; i < 9; i++) {
            script.append("+%.3f > . 2000:2000\n+0 < . 1:1 ack 2001 win 0\n".formatted(intervalS));
            intervalS = Math.min(60, 2 * intervalS);
        }
        Script.run(script + """
                +0    state FIN_WAIT_1
                +60   > R. 2001:2001
                +0    state CLOSED
                """);
    }

    // RFC 9293 section 3.8.6 [note]: what lies beyond a window that has shrunk waits; the peer would drop it.
    @Test
    void windowShrinks_lostSegmentsBeyondIt_areRepeatedWhenItCoversThem() {
        Script.run(Script.accepted(6_000, "mss 1000 sackOK") + """
                +0    write 6000
                +0    > . 1:1001
                +0    > . 1001:2001
                +0    > . 2001:3001
                +0    > . 3001:4001
                +0    > . 4001:5001
                +0    > . 5001:6001
                +0.01 < . 1:1 ack 1001 win 1000 sack 3001:6001
                +0    > . 1001:2001
                +0.01 < . 1:1 ack 2001 win 1000 sack 3001:6001
                +0    > . 2001:3001
                +0.01 < . 1:1 ack 6001 win 6000
                """);
    }

    // The same for a window that closes: its first segment alone is repeated, by the timer, and probes the window.
    @Test
    void windowCloses_lostSegments_onlyTheFirstIsRepeated() {
        Script.run(Script.accepted(6_000, "mss 1000 sackOK") + """
                +0    write 6000
                +0    > . 1:1001
                +0    > . 1001:2001
                +0    > . 2001:3001
                +0    > . 3001:4001
                +0    > . 4001:5001
                +0    > . 5001:6001
                +0.01 < . 1:1 ack 1001 win 0 sack 3001:6001
                +0    > . 1001:2001
                +0.2  > . 1001:2001
                +0.4  > . 1001:2001
                +0.01 < . 1:1 ack 2001 win 5000 sack 3001:6001
                +0    > . 2001:3001
                +0.01 < . 1:1 ack 6001 win 6000
                """);
    }
}
