package io.verbena.tcp;

import org.junit.jupiter.api.Test;

/** Timeouts whose acknowledgments were only late: F-RTO (RFC 5682) and the response of RFC 4015. */
class SpuriousTimeoutScriptsTest {

    /** Ten segments in flight and the tail loss probe; then the timer expires, and the first segment is sent again. */
    private static final String TIMEOUT = Script.accepted(60_000, "mss 1000 sackOK") + """
            +0    write 30000
            +0    > . 1:1001
            +0    > . 1001:2001
            +0    > . 2001:3001
            +0    > . 3001:4001
            +0    > . 4001:5001
            +0    > . 5001:6001
            +0    > . 6001:7001
            +0    > . 7001:8001
            +0    > . 8001:9001
            +0    > . 9001:10001
            +0.022 > . 10001:11001
            +0.2  > . 1:1001
            +0    cwnd 1000
            """;

    @Test
    void lateAcknowledgments_newDataInsteadOfRepetitions_thenTheWindowReturns() {
        Script.run(TIMEOUT + """
                +0.01 < . 1:1 ack 1001 win 60000
                +0    > . 11001:12001
                +0    > . 12001:13001
                +0    < . 1:1 ack 2001 win 60000
                +0    cwnd 12000
                +0    > . 13001:14001
                +0    < . 1:1 ack 4001 win 60000
                +0    > . 14001:15001
                +0    > . 15001:16001
                +0    < . 1:1 ack 16001 win 60000
                """ + rest());
    }

    private static String rest() {
        StringBuilder out = new StringBuilder();
        for (int from = 16_001; from < 28_001; from += 1000) {
            out.append("+0 > . ").append(from).append(':').append(from + 1000).append('\n');
        }
        return out.append("+0 > . 28001:29001\n+0 > P. 29001:30001\n").toString();
    }

    @Test
    void lateAcknowledgment_bySack_isEnough() {
        Script.run(TIMEOUT + """
                +0.01 < . 1:1 ack 1001 win 60000
                +0    > . 11001:12001
                +0    > . 12001:13001
                +0    < . 1:1 ack 1001 win 60000 sack 2001:3001
                +0    cwnd 13000
                """ + """
                +0    > . 13001:14001
                +0    > . 14001:15001
                """);
    }

    @Test
    void realLoss_newDataReportedOnly_repetitionsContinue() {
        Script.run(TIMEOUT + """
                +0.01 < . 1:1 ack 1001 win 60000
                +0    > . 11001:12001
                +0    > . 12001:13001
                +0    < . 1:1 ack 1001 win 60000 sack 11001:12001
                +0    > . 1001:2001
                +0    cwnd 2000
                """);
    }

    @Test
    void everythingAcknowledged_noTest() {
        Script.run(TIMEOUT + """
                +0.01 < . 1:1 ack 11001 win 60000
                +0    > . 11001:12001
                +0    > . 12001:13001
                +0    > . 13001:14001
                """);
    }

    // RFC 5682 section 2.1, step 2: without new data to send, the conventional recovery.
    @Test
    void noNewData_repetitionsContinue() {
        Script.run(Script.accepted(60_000, "mss 1000 sackOK") + """
                +0    write 3000
                +0    > . 1:1001
                +0    > . 1001:2001
                +0    > P. 2001:3001
                +0.022 > P. 2001:3001
                +0.2  > . 1:1001
                +0.01 < . 1:1 ack 1001 win 60000
                +0    > . 1001:2001
                +0    > P. 2001:3001
                """);
    }

    @Test
    void secondTimeout_endsTheTest() {
        Script.run(TIMEOUT + """
                +0.01 < . 1:1 ack 1001 win 60000
                +0    > . 11001:12001
                +0    > . 12001:13001
                +0.2  > . 1001:2001
                +0    cwnd 1000
                +0.01 < . 1:1 ack 2001 win 60000
                +0    > . 2001:3001
                +0    > . 3001:4001
                """);
    }
}
