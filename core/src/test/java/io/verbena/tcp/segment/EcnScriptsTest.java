package io.verbena.tcp.segment;

import io.verbena.tcp.Script;
import io.verbena.tcp.state.TcpSettings;
import org.junit.jupiter.api.Test;

/** Explicit congestion notification: RFC 3168 section 6.1. In the scripts E is ECE, W is CWR, and ect and ce are marks of IP. */
class EcnScriptsTest {

    private static final String ACCEPTED = """
            +0    listen
            +0    < SEW 0:0 win 60000 mss 1000 sackOK
            +0    > SE. 0:0 ack 1 noect
            +0.01 < . 1:1 ack 1 win 60000
            """;

    private static final String TEN = """
            +0    write 20000
            +0    > . 1:1001 ect
            +0    > . 1001:2001 ect
            +0    > . 2001:3001 ect
            +0    > . 3001:4001 ect
            +0    > . 4001:5001 ect
            +0    > . 5001:6001 ect
            +0    > . 6001:7001 ect
            +0    > . 7001:8001 ect
            +0    > . 8001:9001 ect
            +0    > . 9001:10001 ect
            """;

    private static void run(TcpSettings.Congestion congestion, String text) {
        Script.run(
                Script.settings()
                        .withCongestion(congestion)
                        .withFeatures(new TcpSettings.Features(true, false, false, true)),
                text);
    }

    private static void run(String text) {
        run(TcpSettings.Congestion.NEW_RENO, text);
    }

    @Test
    void listening_peerAsks_bothAgree() {
        run(ACCEPTED + """
                +0    write 500
                +0    > P. 1:501 ect
                """);
    }

    @Test
    void listening_peerDoesNotAsk_noMarks() {
        run(Script.accepted(60_000, "mss 1000 sackOK") + """
                +0    write 500
                +0    > P. 1:501 noect
                """);
    }

    @Test
    void connecting_peerAgrees_dataIsMarked() {
        run("""
                +0    connect
                +0    > SEW 0:0 noect
                +0.01 < SE. 0:0 ack 1 win 60000 mss 1000 sackOK
                +0    > . 1:1 ack 1 noect
                +0    write 500
                +0    > P. 1:501 ect
                """);
    }

    // A peer that reflects all flags does not understand them (RFC 3168 section 6.1.1).
    @Test
    void connecting_peerReflectsBothFlags_isNoAgreement() {
        run("""
                +0    connect
                +0    > SEW 0:0
                +0.01 < SEW. 0:0 ack 1 win 60000 mss 1000 sackOK
                +0    > . 1:1 ack 1
                +0    write 500
                +0    > P. 1:501 noect
                """);
    }

    // RFC 3168 section 6.1.1.1: the SYN may have been dropped because it asked.
    @Test
    void connecting_synRepeated_doesNotAskAgain() {
        run("""
                +0    connect
                +0    > SEW 0:0
                +1    > S 0:0
                +0.01 < SE. 0:0 ack 1 win 60000 mss 1000 sackOK
                +0    > . 1:1 ack 1
                +0    write 500
                +0    > P. 1:501 noect
                """);
    }

    @Test
    void congestionEchoed_halvesTheWindowOncePerWindowOfData() {
        run(ACCEPTED + TEN + """
                +0.01 < E. 1:1 ack 2001 win 60000
                +0    cwnd 5000
                +0    < E. 1:1 ack 4001 win 60000
                +0    cwnd 5000
                +0    < E. 1:1 ack 6001 win 60000
                +0    cwnd 5000
                +0    > W. 10001:11001 ect
                +0    < E. 1:1 ack 7001 win 60000
                +0    > . 11001:12001 ect
                +0    < . 1:1 ack 12001 win 60000
                +0    cwnd 6000
                +0    > . 12001:13001 ect
                +0    > . 13001:14001 ect
                +0    > . 14001:15001 ect
                +0    > . 15001:16001 ect
                +0    > . 16001:17001 ect
                +0    > . 17001:18001 ect
                +0.01 < E. 1:1 ack 13001 win 60000
                +0    cwnd 3000
                """);
    }

    // RFC 9438 section 4.6: CUBIC reduces to 0.7.
    @Test
    void congestionEchoed_cubic_reducesByItsFactor() {
        run(TcpSettings.Congestion.CUBIC, ACCEPTED + TEN + """
                +0.01 < E. 1:1 ack 1001 win 60000
                +0    cwnd 7000
                """);
    }

    // RFC 3168 section 6.1.5: a repetition is not marked, and the next new data says that the window was reduced.
    @Test
    void lossRepaired_repetitionUnmarked_newDataHasTheReduction() {
        run(ACCEPTED + """
                +0    write 6000
                +0    > . 1:1001 ect
                +0    > . 1001:2001 ect
                +0    > . 2001:3001 ect
                +0    > . 3001:4001 ect
                +0    > . 4001:5001 ect
                +0    > P. 5001:6001 ect
                +0.01 < . 1:1 ack 1 win 60000 sack 1001:4001
                +0    > . 1:1001 noect
                +0.01 < . 1:1 ack 6001 win 60000
                +0    write 1000
                +0    > PW. 6001:7001 ect
                """);
    }

    // RFC 3168 section 6.1.3: each acknowledgment echoes the mark until the peer has reacted.
    @Test
    void markedDataArrives_echoedUntilThePeerReduced() {
        run(ACCEPTED + """
                +0    < . 1:1001 ack 1 ce
                +0    < . 1001:2001 ack 1
                +0    > E. 1:1 ack 2001 noect
                +0    < . 2001:3001 ack 1
                +0    < . 3001:4001 ack 1
                +0    > E. 1:1 ack 4001
                +0    < W. 4001:5001 ack 1
                +0    < . 5001:6001 ack 1
                +0    > . 1:1 ack 6001
                +0    < W. 6001:7001 ack 1 ce
                +0    < . 7001:8001 ack 1
                +0    > E. 1:1 ack 8001
                """);
    }

    @Test
    void markedDataArrives_withoutAgreement_isNotEchoed() {
        run(Script.accepted(60_000, "mss 1000 sackOK") + """
                +0    < . 1:1001 ack 1 ce
                +0    < . 1001:2001 ack 1
                +0    > . 1:1 ack 2001
                """);
    }
}
