package io.verbena.tcp;

import io.verbena.tcp.state.TcpSettings;
import org.junit.jupiter.api.Test;

/** Closing a connection: RFC 9293 section 3.6 [note]. */
class CloseScriptsTest {

    private static final String OPEN = Script.accepted(20_000, "mss 1000 sackOK");

    // RFC 9293 section 3.6.1 [1]: twice the maximum segment lifetime.
    @Test
    void close_first_waitsInTimeWait() {
        Script.run(OPEN + """
                +0    close
                +0    > F. 1:1 ack 1
                +0    state FIN_WAIT_1
                +0.01 < . 1:1 ack 2
                +0    state FIN_WAIT_2
                +0.01 < F. 1:1 ack 2
                +0    > . 2:2 ack 2
                +0    state TIME_WAIT
                +59   state TIME_WAIT
                +2    state CLOSED
                """);
    }

    @Test
    void close_second_isClosedAtOnce() {
        Script.run(OPEN + """
                +0    < F. 1:1 ack 1
                +0    > . 1:1 ack 2
                +0    state CLOSE_WAIT
                +0    end
                +0    close
                +0    > F. 1:1 ack 2
                +0    state LAST_ACK
                +0.01 < . 2:2 ack 2
                +0    state CLOSED
                """);
    }

    @Test
    void close_bothAtOnce_meetInClosing() {
        Script.run(OPEN + """
                +0    close
                +0    > F. 1:1 ack 1
                +0.01 < F. 1:1 ack 1
                +0    > . 2:2 ack 2
                +0    state CLOSING
                +0.01 < . 2:2 ack 2
                +0    state TIME_WAIT
                """);
    }

    @Test
    void close_answeredByFinAndAcknowledgment_skipsFinWait2() {
        Script.run(OPEN + """
                +0    close
                +0    > F. 1:1 ack 1
                +0.01 < F. 1:1 ack 2
                +0    > . 2:2 ack 2
                +0    state TIME_WAIT
                """);
    }

    // RFC 9293 section 3.6 [note]: a half-closed connection still receives.
    @Test
    void shutdown_peerContinues_dataIsReceived() {
        Script.run(OPEN + """
                +0    write 100
                +0    > P. 1:101
                +0    shutdown
                +0    > F. 101:101 ack 1
                +0.01 < . 1:1001 ack 102
                +0    < . 1001:2001 ack 102
                +0    > . 102:102 ack 2001
                +0    read 2000
                +0    < F. 2001:2001 ack 102
                +0    > . 102:102 ack 2002
                +0    end
                +0    state TIME_WAIT
                """);
    }

    @Test
    void finOfThePeer_ownDataFollows_inCloseWait() {
        Script.run(OPEN + """
                +0    < F. 1:1 ack 1
                +0    > . 1:1 ack 2
                +0    write 1500
                +0    > . 1:1001 ack 2
                +0    > P. 1001:1501 ack 2
                +0.01 < . 2:2 ack 1501
                +0    shutdown
                +0    > F. 1501:1501
                """);
    }

    @Test
    void fin_lost_isRepeated() {
        Script.run(OPEN + """
                +0    shutdown
                +0    > F. 1:1 ack 1
                +0.072 > F. 1:1 ack 1
                +0.2  > F. 1:1 ack 1
                +0.01 < . 1:1 ack 2
                +0    state FIN_WAIT_2
                """);
    }

    @Test
    void fin_beforeTheDataBeforeIt_waits() {
        Script.run(OPEN + """
                +0    < F. 1001:1501 ack 1
                +0    > . ack 1 sack 1001:1501
                +0    state ESTABLISHED
                +0    < . 1:1001 ack 1
                +0    > . ack 1502
                +0    read 1500
                +0    end
                """);
    }

    @Test
    void dataAfterTheFin_isIgnored() {
        Script.run(OPEN + """
                +0    < F. 1:501 ack 1
                +0    > . ack 502
                +0    < . 502:1001 ack 1
                +0    > . ack 502
                +0    readable 500
                """);
    }

    // RFC 9293 section 3.10.7.4 [note]: the FIN again in TIME-WAIT is acknowledged, and the wait starts again.
    @Test
    void timeWait_finAgain_isAcknowledgedAndWaitsAgain() {
        Script.run(OPEN + """
                +0    close
                +0    > F. 1:1 ack 1
                +0.01 < F. 1:1 ack 2
                +0    > . 2:2 ack 2
                +50   < F. 1:1 ack 2
                +0    > . 2:2 ack 2
                +50   state TIME_WAIT
                +11   state CLOSED
                """);
    }

    // RFC 9293 section 3.6.1 [note]: a new SYN with a higher number.
    @Test
    void timeWait_newSyn_startsANewConnection() {
        Script.run(OPEN + """
                +0    close
                +0    > F. 1:1 ack 1
                +0.01 < F. 1:1 ack 2
                +0    > . 2:2 ack 2
                +1    < S 900:900 win 5000 mss 1000
                +0    > S. 0:0 ack 901
                """);
    }

    @Test
    void timeWait_oldSyn_isAnsweredByAnAcknowledgment() {
        Script.run(OPEN + """
                +0    close
                +0    > F. 1:1 ack 1
                +0.01 < F. 1:1 ack 2
                +0    > . 2:2 ack 2
                +1    < S -900:-900 win 5000 mss 1000
                +0    > . 2:2 ack 2
                """);
    }

    // RFC 1337: TIME-WAIT is not ended by a reset.
    @Test
    void timeWait_reset_isIgnored() {
        Script.run(OPEN + """
                +0    close
                +0    > F. 1:1 ack 1
                +0.01 < F. 1:1 ack 2
                +0    > . 2:2 ack 2
                +1    < R. 2:2 ack 2
                +0    state TIME_WAIT
                """);
    }

    // RFC 9293 section 3.6.1 [note]: bytes that were not read are lost, which the peer must learn.
    @Test
    void close_withUnreadBytes_resets() {
        Script.run(OPEN + """
                +0    < . 1:1001 ack 1
                +0    close
                +0    > R. 1:1 ack 1001
                +0    state CLOSED
                """);
    }

    @Test
    void close_thenDataArrives_resets() {
        Script.run(OPEN + """
                +0    close
                +0    > F. 1:1 ack 1
                +0.01 < . 1:101 ack 2
                +0    > R 2:2
                +0    state CLOSED
                """);
    }

    @Test
    void abort_always_resets() {
        Script.run(OPEN + """
                +0    write 500
                +0    > P. 1:501
                +0    abort
                +0    > R. 501:501 ack 1
                +0    state CLOSED
                """);
    }

    // RFC 9293 section 3.6 [1]: the owner learns whether the peer closed or reset.
    @Test
    void reset_ofThePeer_breaksTheConnection() {
        Script.run(OPEN + """
                +0    < . 1:101 ack 1
                +0    < R. 101:101 ack 1
                +0    broken RESET
                """);
    }

    @Test
    void finWait2_closedAndPeerSilent_endsAfterTheWait() {
        Script.run(OPEN + """
                +0    close
                +0    > F. 1:1 ack 1
                +0.01 < . 1:1 ack 2
                +61   state CLOSED
                """);
    }

    // RFC 9293 section 3.8.4 [1, 2, 3, 4, 6]: probes without data, and several before the peer is given up.
    @Test
    void keepAlive_silentPeer_isProbedAndGivenUp() {
        Script.run(OPEN + """
                +0    keepalive 8
                +4    > . 0:0 ack 1
                +0.01 < . 1:1 ack 1
                +4    > . 0:0 ack 1
                +1    > . 0:0 ack 1
                +1    > . 0:0 ack 1
                +1    > . 0:0 ack 1
                +1.1  broken SILENT
                """);
    }

    // RFC 9293 section 3.6.1 [note]: without a new connection TIME-WAIT lasts.
    @Test
    void timeWait_newSynToAPortWithoutListener_isAnsweredByAnAcknowledgment() {
        Script.run("""
                +0    connect
                +0    > S 0:0
                +0.01 < S. 0:0 ack 1 win 5000 mss 1000
                +0    > . 1:1 ack 1
                +0    close
                +0    > F. 1:1 ack 1
                +0.01 < F. 1:1 ack 2
                +0    > . 2:2 ack 2
                +1    < S 900:900 win 5000 mss 1000
                +0    > . 2:2 ack 2
                +0    state TIME_WAIT
                """);
    }

    @Test
    void timeWait_newSynBeforeTheOwnerHasRead_endsTheOldConnectionAndKeepsItsBytes() {
        Script.run(OPEN + """
                +0    shutdown
                +0    > F. 1:1 ack 1
                +0.01 < . 1:1001 ack 2
                +0    < F. 1001:1001 ack 2
                +0    > . 2:2 ack 1002
                +1    < S 9000:9000 win 5000 mss 1000
                +0    > S. 0:0 ack 9001
                +0    state CLOSED
                +0    read 1000
                +0    end
                +0    close
                """);
    }

    // RFC 9293 section 3.10.7.4 [note]: only the FIN again starts the wait again.
    @Test
    void timeWait_otherOldSegments_doNotProlongIt() {
        Script.run(OPEN + """
                +0    close
                +0    > F. 1:1 ack 1
                +0.01 < F. 1:1 ack 2
                +0    > . 2:2 ack 2
                +50   < . -900:-900 ack 2
                +0    > . 2:2 ack 2
                +11   state CLOSED
                """);
    }

    // RFC 6191 section 2: timestamps of the same clock tell which of two SYNs is older, whatever their numbers.
    @Test
    void timeWait_synWithATimestamp_isNewIfThatIsLater() {
        TcpSettings settings = Script.settings().withFeatures(new TcpSettings.Features(true, true, false));
        Script.run(settings, """
                +0    listen
                +0    < S 0:0 win 5000 mss 1000 ts 1000 0
                +0    > S. 0:0 ack 1
                +0.01 < . 1:1 ack 1 win 5000 ts 1010 echo
                +0    close
                +0    > F. 1:1 ack 1
                +0.01 < F. 1:1 ack 2 win 5000 ts 1020 echo
                +0    > . 2:2 ack 2
                +1    < S 90000:90000 win 5000 mss 1000 ts 1015 0
                +0    > . 2:2 ack 2
                +0    state TIME_WAIT
                +0    < S -90000:-90000 win 5000 mss 1000 ts 2020 0
                +0    > S. 0:0 ack -89999
                """);
    }

    private static final String TWO = """
            +0    write 4000
            +0    > . 1:1001
            +0    > . 1001:2001
            """;

    private static final String NARROW = Script.accepted(2_000, "mss 1000 sackOK");

    // RFC 9293 section 3.10.4 [note]: the FIN follows the last data, in the same segment if it waits as well.
    @Test
    void fin_whileDataWaits_travelsWithTheLastSegment() {
        Script.run(NARROW + TWO + """
                +0    shutdown
                +0.01 < . 1:1 ack 2001 win 5000
                +0    > . 2001:3001
                +0    > FP. 3001:4001
                +0.01 < . 1:1 ack 4002
                +0    state FIN_WAIT_2
                """);
    }

    @Test
    void finWithData_lost_isRepeatedWithIt() {
        Script.run(NARROW + TWO + """
                +0    shutdown
                +0.01 < . 1:1 ack 2001 win 5000
                +0    > . 2001:3001
                +0    > FP. 3001:4001
                +0.022 > FP. 3001:4001
                +0.01 < . 1:1 ack 4002
                """);
    }

    // The FIN occupies a number, and a peer may drop what ends beyond its window.
    @Test
    void fin_beyondTheWindow_followsTheData() {
        Script.run(NARROW + TWO + """
                +0    shutdown
                +0.01 < . 1:1 ack 2001 win 2000
                +0    > . 2001:3001
                +0    > P. 3001:4001
                +0    > F. 4001:4001
                """);
    }

    @Test
    void finWithData_onlyTheDataIsAcknowledged_theFinIsRepeatedAlone() {
        Script.run(NARROW + TWO + """
                +0    shutdown
                +0.01 < . 1:1 ack 2001 win 5000
                +0    > . 2001:3001
                +0    > FP. 3001:4001
                +0.01 < . 1:1 ack 4001
                +0.072 > F. 4001:4001
                """);
    }

    // RFC 2018 section 3 does not say whether a block covers a FIN.
    @Test
    void finWithData_blockWithoutTheFin_countsForBoth() {
        Script.run(NARROW + TWO + """
                +0    shutdown
                +0.01 < . 1:1 ack 2001 win 5000
                +0    > . 2001:3001
                +0    > FP. 3001:4001
                +0.01 < . 1:1 ack 2001 win 5000 sack 3001:4001
                +0.003 > . 2001:3001
                +0.01 < . 1:1 ack 4002
                +0    state FIN_WAIT_2
                """);
    }

    @Test
    void finWithData_pathBecomesNarrower_isCutAndTheFinIsLast() {
        Script.run(NARROW + TWO + """
                +0    shutdown
                +0.01 < . 1:1 ack 2001 win 5000
                +0    > . 2001:3001
                +0    > FP. 3001:4001
                +0.001 mtu 640 2001
                +0    > . 2001:2601
                +0    > . 2601:3001
                +0    > . 3001:3601
                +0    > P. 3601:4001
                +0    > F. 4001:4001
                """);
    }
}
