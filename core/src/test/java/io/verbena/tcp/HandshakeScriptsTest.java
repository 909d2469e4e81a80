package io.verbena.tcp;

import io.verbena.tcp.state.TcpSettings;
import org.junit.jupiter.api.Test;

/** Opening a connection: RFC 9293 sections 3.5 [note], 3.7.1 [note] and 3.10.7 [note]. */
class HandshakeScriptsTest {

    // RFC 9293 sections 3.2 [2] and 3.7.1 [1, 4]: the size that IP can receive, in the SYN only.
    @Test
    void connect_answered_isEstablished() {
        Script.run("""
                +0    connect
                +0    > S 0:0 mss 1000 sackOK
                +0.01 < S. 0:0 ack 1 win 5000 mss 1000 sackOK
                +0    > . 1:1 ack 1
                +0    state ESTABLISHED
                """);
    }

    @Test
    void connect_resetThatAcknowledges_isRefused() {
        Script.run("""
                +0    connect
                +0    > S 0:0
                +0.01 < R. 0:0 ack 1
                +0    state REFUSED
                """);
    }

    @Test
    void connect_resetWithoutAcknowledgment_isIgnored() {
        Script.run("""
                +0    connect
                +0    > S 0:0
                +0.01 < R 0:0
                +0.01 < R. 0:0 ack 77
                +0.01 < S. 0:0 ack 1 win 5000 mss 1000
                +0    > . 1:1 ack 1
                """);
    }

    // RFC 9293 section 3.5.1 [note]: half-open connections are discovered.
    @Test
    void connect_answerOfAnOldConnection_isResetAndTheSynRepeated() {
        Script.run("""
                +0    connect
                +0    > S 0:0
                +0.01 < . 400:400 ack 100 win 5000
                +0    > R 100:100
                +0.99 > S 0:0
                +0.01 < S. 0:0 ack 1 win 5000 mss 1000
                +0    > . 1:1 ack 1
                """);
    }

    // RFC 6298 section 2.1: one second before the first measurement, then doubled.
    @Test
    void connect_unanswered_repeatsTheSynAtDoubledIntervals() {
        Script.run("""
                +0    connect
                +0    > S 0:0
                +1    > S 0:0
                +2    > S 0:0
                +4    > S 0:0
                +8    > S 0:0
                +0.01 < S. 0:0 ack 1 win 60000 mss 1000
                +0    > . 1:1 ack 1
                +0    cwnd 1000
                """);
    }

    // RFC 9293 section 3.8.3 [1, 3, 4]: at least three minutes for a SYN.
    @Test
    void connect_neverAnswered_failsAfterThreeMinutes() {
        Script.run("""
                +0    connect
                +0    > S 0:0
                +1    > S
                +2    > S
                +4    > S
                +8    > S
                +16   > S
                +32   > S
                +60   > S
                +60   state Connection timed out: the peer acknowledges nothing
                """);
    }

    // RFC 9293 section 3.5 [1]: simultaneous open.
    @Test
    void connect_synOfThePeer_opensSimultaneously() {
        Script.run("""
                +0    connect
                +0    > S 0:0
                +0.01 < S 0:0 win 5000 mss 1000 sackOK
                +0    > S. 0:0 ack 1
                +0.01 < S. 0:0 ack 1 win 5000 mss 1000 sackOK
                +0    > . 1:1 ack 1
                +0    state ESTABLISHED
                +0    write 100
                +0    > . 1:101 ack 1
                """);
    }

    @Test
    void listen_synRepeated_isAnsweredAgain() {
        Script.run("""
                +0    listen
                +0    < S 0:0 win 5000 mss 1000
                +0    > S. 0:0 ack 1
                +0.5  < S 0:0 win 5000 mss 1000
                +0    > S. 0:0 ack 1
                +0.01 < . 1:1 ack 1 win 5000
                +0    state ESTABLISHED
                """);
    }

    @Test
    void listen_answerLost_isRepeated() {
        Script.run("""
                +0    listen
                +0    < S 0:0 win 5000 mss 1000
                +0    > S. 0:0 ack 1
                +1    > S. 0:0 ack 1
                +0.01 < . 1:1 ack 1 win 5000
                +0    state ESTABLISHED
                """);
    }

    // The source of a SYN may be forged: what it receives is bounded by what it has sent.
    @Test
    void listen_answersNeverAcknowledged_areThreeForEachSyn() {
        Script.run("""
                +0    listen
                +0    < S 0:0 win 5000 mss 1000
                +0    > S. 0:0 ack 1
                +1    > S. 0:0 ack 1
                +2    > S. 0:0 ack 1
                +50   < S 0:0 win 5000 mss 1000
                +0    > S. 0:0 ack 1
                +10   > S. 0:0 ack 1
                +60   > S. 0:0 ack 1
                +60   connections 0
                """);
    }

    @Test
    void listen_answersUsedUp_theNextSynIsAnsweredOnceAndConnects() {
        Script.run("""
                +0    listen
                +0    < S 0:0 win 5000 mss 1000
                +0    > S. 0:0 ack 1
                +1    > S. 0:0 ack 1
                +2    > S. 0:0 ack 1
                +5    < S 0:0 win 5000 mss 1000
                +0    > S. 0:0 ack 1
                +0.01 < . 1:1 ack 1 win 5000
                +0    state ESTABLISHED
                +0    write 100
                +0    > . 1:101 ack 1
                """);
    }

    @Test
    void listen_acknowledgmentOfNothing_isReset() {
        Script.run("""
                +0    listen
                +0    < . 5:5 ack 9
                +0    > R
                """);
    }

    @Test
    void listen_wrongAcknowledgmentOfTheSyn_isResetAndTheRightOneAccepted() {
        Script.run("""
                +0    listen
                +0    < S 0:0 win 5000 mss 1000
                +0    > S. 0:0 ack 1
                +0.01 < . 1:1 ack 555 win 5000
                +0    > R 555:555
                +0.01 < . 1:1 ack 1 win 5000
                +0    state ESTABLISHED
                """);
    }

    // RFC 9293 section 3.10.7.1 [note]: CLOSED.
    @Test
    void closedPort_syn_isResetWithItsNumber() {
        Script.run("""
                +0    listen
                +0    < S 0:0 win 5000 mss 1000
                +0    > S. 0:0 ack 1
                +0.01 < R 1:1
                +0    < F 5:6
                """);
    }

    // RFC 9293 section 3.7.1 [2]: 536 bytes without the option.
    @Test
    void listen_peerWithoutMss_receivesSegmentsOf536Bytes() {
        Script.run(Script.accepted(5000, "") + """
                +0    write 1000
                +0    > . 1:537
                +0    > . 537:1001
                """);
    }

    // RFC 9293 section 3.7.1 [3]: the smaller of both sizes.
    @Test
    void listen_peerWithSmallMss_receivesSegmentsOfItsSize() {
        Script.run(Script.accepted(5000, "mss 700") + """
                +0    write 1000
                +0    > . 1:701
                +0    > . 701:1001
                """);
    }

    @Test
    void listen_peerWithTinyMss_isNotServedWithTinySegments() {
        Script.run(Script.accepted(5000, "mss 1") + """
                +0    write 48
                +0    > . 1:49
                """);
    }

    // RFC 7323 section 2.2: the window of a SYN is not scaled, all later ones are.
    @Test
    void listen_windowScale_isAgreedAndApplied() {
        TcpSettings settings = Script.settings()
                .withBuffers(256 * 1024, 256 * 1024)
                .withFeatures(new TcpSettings.Features(true, false, true));
        Script.run(settings, """
                +0    listen
                +0    < S 0:0 win 500 mss 1000 wscale 4
                +0    > S. 0:0 ack 1 win 65535 wscale 3
                +0.01 < . 1:1 ack 1 win 200
                +0    write 5000
                +0    > . 1:1001 win 32768
                +0    > . 1001:2001
                +0    > . 2001:3001
                +0.01 < . 1:1 ack 3001 win 200
                +0    > . 3001:4001
                +0    > . 4001:5001
                """);
    }

    // RFC 7323 section 2.2: without the peer's option no window is scaled.
    @Test
    void listen_peerWithoutWindowScale_isAnsweredWithoutIt() {
        TcpSettings settings = Script.settings().withFeatures(new TcpSettings.Features(true, false, true));
        Script.run(settings, """
                +0    listen
                +0    < S 0:0 win 500 mss 1000
                +0    > S. 0:0 ack 1 nowscale nosackOK
                """);
    }

    // RFC 7323 section 3.2: timestamps in every segment once they are agreed.
    @Test
    void listen_timestamps_areEchoedAndReduceTheSegment() {
        TcpSettings settings = Script.settings().withFeatures(new TcpSettings.Features(true, true, false));
        Script.run(settings, """
                +0    listen
                +0    < S 0:0 win 5000 mss 1000 ts 100 0
                +0    > S. 0:0 ack 1 tsecr 100
                +0.01 < . 1:1 ack 1 win 5000 ts 110 echo
                +0    write 1500
                +0    > . 1:989 tsecr 110
                +0    > . 989:1501 tsecr 110
                """);
    }

    // RFC 7323 section 2.2: nor is the window of a SYN that acknowledges, if both sides open at the same time.
    @Test
    void connect_synOfThePeer_windowOfItsAnswerIsNotScaled() {
        TcpSettings settings = Script.settings().withFeatures(new TcpSettings.Features(true, false, true));
        Script.run(settings, """
                +0    connect
                +0    > S 0:0
                +0.01 < S 0:0 win 2000 mss 1000 wscale 7
                +0    > S. 0:0 ack 1
                +0.01 < S. 0:0 ack 1 win 2000 mss 1000 wscale 7
                +0    > . 1:1 ack 1
                +0    write 4000
                +0    > . 1:1001 ack 1
                +0    > . 1001:2001 ack 1
                """);
    }
}
