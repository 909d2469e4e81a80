package io.verbena.tcp;

import org.junit.jupiter.api.Test;

/** Paths that are interrupted, and paths that become too narrow for segments without a report. */
class PathScriptsTest {

    // As RFC 6069: an interruption of the path is no congestion, and its end is the time to repeat.
    @Test
    void timeouts_peerAnswersAProbe_sendsAtOnce() {
        Script.run(Script.accepted(20_000, "mss 1000") + """
                +0    keepalive 8
                +0    write 1000
                +0    > . 1:1001
                +0.2  > . 1:1001
                +0.4  > . 1:1001
                +0.8  > . 1:1001
                +1.6  > . 1:1001
                +1    > . 0:0
                +1    > . 0:0
                +1    > . 0:0
                +0.2  > . 1:1001
                +0.8  > . 0:0
                +0.01 < . 1:1 ack 1 win 20000
                +0    > . 1:1001
                +0.4  > . 1:1001
                +0.01 < . 1:1 ack 1001 win 20000
                +0    state ESTABLISHED
                """);
    }

    @Test
    void noTimeouts_peerAnswersAProbe_sendsNothing() {
        Script.run(Script.accepted(20_000, "mss 1000") + """
                +0    keepalive 8
                +4    > . 0:0
                +0.01 < . 1:1 ack 1 win 20000
                +0    write 1000
                +0    > . 1:1001
                """);
    }

    // RFC 4821 section 7.7: small segments pass, long ones do not any more.
    @Test
    void timeouts_onlyTheProbeIsAnswered_segmentsBecomeShorter() {
        Script.run(Script.settings().withMtu(1540), Script.accepted(20_000, "mss 1500") + """
                +0    write 1500
                +0    > . 1:1501
                +0.01 < . 1:1 ack 1501 win 20000
                +0    write 1500
                +0    > . 1501:3001
                +0.2  > . 1501:3001
                +0.4  > . 1501:3001
                +0    > . 1500:1500
                +0.01 < . 1:1 ack 1501 win 20000
                +0.79 > . 1501:2861
                +0    > . 2861:3001
                +0.01 < . 1:1 ack 3001 win 20000
                +0    write 1500
                +0    > . 3001:4361
                +0    > . 4361:4501
                """);
    }

    @Test
    void timeouts_nothingIsAnswered_segmentsKeepTheirLength() {
        Script.run(Script.settings().withMtu(1540), Script.accepted(20_000, "mss 1500") + """
                +0    write 1500
                +0    > . 1:1501
                +0.01 < . 1:1 ack 1501 win 20000
                +0    write 1500
                +0    > . 1501:3001
                +0.2  > . 1501:3001
                +0.4  > . 1501:3001
                +0    > . 1500:1500
                +0.8  > . 1501:3001
                +0    > . 1500:1500
                +0.01 < . 1:1 ack 3001 win 20000
                +0    write 1500
                +0    > . 3001:4501
                """);
    }
}
