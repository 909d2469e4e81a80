package io.verbena.tcp;

import io.verbena.tcp.state.TcpSettings;
import org.junit.jupiter.api.Test;

/** Segments of a blind attacker and of a hostile peer: RFC 5961, RFC 7323 section 5, and what lies about numbers. */
class AttackScriptsTest {

    private static final String OPEN = Script.accepted(20_000, "mss 1000 sackOK");

    // RFC 5961 section 3.2.
    @Test
    void reset_inTheWindowButNotExact_isChallenged() {
        Script.run(OPEN + """
                +0    < R 500:500
                +0    > . 1:1 ack 1
                +0    state ESTABLISHED
                +0    < R 900000:900000
                +0    < R -5:-5
                +0    state ESTABLISHED
                +0    < R 1:1
                +0    broken RESET
                """);
    }

    // RFC 9293 section 3.4 [1].
    @Test
    void reset_whileTheWindowIsClosed_isProcessed() {
        Script.run(OPEN + """
                +0    < . 1:40001 ack 1
                +0    > . ack 40001
                +0    < . 40001:65537 ack 1
                +0    > . ack 65537 win 0
                +0    < R 65537:65537
                +0    broken RESET
                """);
    }

    // RFC 9293 section 3.5 [2]: a reset returns a passive open to its listener, and ends an active one as refused.
    @Test
    void reset_inSynReceived_leavesTheListenerOpen() {
        Script.run("""
                +0    listen
                +0    < S 0:0 win 5000 mss 1000
                +0    > S. 0:0 ack 1
                +0    < R 1:1
                +0.1  < S 9000:9000 win 5000 mss 1000
                +0    > S. 0:0 ack 9001
                """);
        Script.run("""
                +0    connect
                +0    > S 0:0
                +0.01 < S 0:0 win 5000 mss 1000
                +0    > S. 0:0 ack 1
                +0    < R 1:1
                +0    state REFUSED
                """);
    }

    // RFC 5961 section 4.2.
    @Test
    void syn_onAnEstablishedConnection_isChallenged() {
        Script.run(OPEN + """
                +0    < S 500:500 win 5000
                +0    > . 1:1 ack 1
                +0    < S 90000000:90000000 win 5000
                +0    > . 1:1 ack 1
                +0    < S. 0:0 ack 1 win 5000
                +0    > . 1:1 ack 1
                +0    state ESTABLISHED
                """);
    }

    // RFC 5961 section 5.2.
    @Test
    void data_withAnUnlikelyAcknowledgment_isDropped() {
        Script.run(OPEN + """
                +0    < . 1:1001 ack 5000
                +0    > . 1:1 ack 1
                +0    < . 1:1001 ack -70000
                +0    > . 1:1 ack 1
                +0    readable 0
                """);
    }

    // RFC 5961 section 7.
    @Test
    void challenges_areLimitedPerSecond() {
        Script.run(OPEN + """
                +0    < R 500:500
                +0    > . 1:1 ack 1
                +0    < R 501:501
                +0    > . 1:1 ack 1
                +0    < R 502:502
                +0    > . 1:1 ack 1
                +0    < R 503:503
                +0    > . 1:1 ack 1
                +0    < R 504:504
                +0    > . 1:1 ack 1
                +0    < R 505:505
                +0    < S 506:506
                +0    < . 99000000:99000001 ack 1
                +1    < R 507:507
                +0    > . 1:1 ack 1
                """);
    }

    @Test
    void data_outsideTheWindow_isAcknowledgedAndDropped() {
        Script.run(OPEN + """
                +0    < . 70000:71000 ack 1
                +0    > . 1:1 ack 1
                +0    < . -2000:-1000 ack 1
                +0    > . 1:1 ack 1
                +0    readable 0
                """);
    }

    @Test
    void segmentWithoutAck_isDropped() {
        Script.run(OPEN + """
                +0    < P 1:1001
                +0    readable 0
                """);
    }

    // RFC 9293 section 3.8.5 [note]: urgent data is delivered in its place.
    @Test
    void urgentData_isOrdinaryData() {
        Script.run(OPEN + """
                +0    < PU. 1:1001 ack 1 fill 3
                +0.04 > . ack 1001
                +0    bytes 3x1000
                """);
    }

    @Test
    void acknowledgment_ofThePast_changesNothing() {
        Script.run(OPEN + """
                +0    write 3000
                +0    > . 1:1001
                +0    > . 1001:2001
                +0    > . 2001:3001
                +0.01 < . 1:1 ack 3001 win 20000
                +0    < . 1:1 ack 1001 win 0
                +0    write 1000
                +0    > . 3001:4001
                """);
    }

    // RFC 7323 section 5.3: protection against wrapped sequence numbers.
    @Test
    void oldTimestamp_isRejected_andAReset_isNot() {
        TcpSettings settings = Script.settings().withFeatures(new TcpSettings.Features(true, true, false));
        Script.run(settings, """
                +0    listen
                +0    < S 0:0 win 5000 mss 1000 ts 100 0
                +0    > S. 0:0 ack 1
                +0.01 < . 1:1 ack 1 win 5000 ts 200 echo
                +0    < . 1:101 ack 1 win 5000 ts 150 echo
                +0    > . ack 1 tsecr 200
                +0    < . 1:101 ack 1 win 5000
                +0    > . ack 1
                +0    readable 0
                +0    < . 1:101 ack 1 win 5000 ts 201 echo
                +0    readable 100
                +0.04 > . ack 101 tsecr 201
                +0    < R 101:101
                +0    broken RESET
                """);
    }

    @Test
    void fin_twoPlaces_firstOneCounts() {
        Script.run(OPEN + """
                +0    < F. 2001:2001 ack 1
                +0    > . ack 1
                +0    < F. 1:501 ack 1
                +0    > . ack 501
                +0    < . 501:2001 ack 1
                +0    > . ack 2002
                +0    readable 2000
                """);
    }

    // RFC 5961 section 5.2 before RFC 7323 section 5.3: what an unlikely acknowledgment comes with is not believed.
    @Test
    void timestamp_withAnUnlikelyAcknowledgment_doesNotMakeTheSegmentsOfThePeerOld() {
        TcpSettings settings = Script.settings().withFeatures(new TcpSettings.Features(true, true, false));
        Script.run(settings, """
                +0    listen
                +0    < S 0:0 win 5000 mss 1000 ts 100 0
                +0    > S. 0:0 ack 1
                +0.01 < . 1:1 ack 1 win 5000 ts 200 echo
                +0    < . 1:101 ack 900000 win 5000 ts 2000000000 echo
                +0    > . ack 1 tsecr 200
                +0    < . 1:101 ack 1 win 5000 ts 201 echo
                +0    readable 100
                +0.04 > . ack 101 tsecr 201
                """);
    }

    // RFC 5961 section 7 limits challenges; RFC 9293 section 3.8.6.3 [note]: what comes again is acknowledged.
    @Test
    void guesses_useUpTheirLimit_repetitionsAndProbesAreAcknowledgedAllTheSame() {
        StringBuilder script = new StringBuilder(OPEN).append("""
                +0    < . 1:1001 ack 1
                +0    < . 1001:2001 ack 1
                +0    > . ack 2001
                """);
        for (int i = 0; i < 5; i++) {
            script.append("+0 < R 2900:2900\n+0 > . 1:1 ack 2001\n");
        }
        Script.run(script + """
                +0    < R 2900:2900
                +0    < . 1001:2001 ack 1
                +0    > . 1:1 ack 2001
                +0    < . 2000:2000 ack 1
                +0    > . 1:1 ack 2001
                """);
    }
}
