package io.verbena.tcp;

import io.verbena.tcp.state.TcpSettings;
import org.junit.jupiter.api.Test;

/** SYN cookies: RFC 4987 section 3.6. The backlog of a script's listener is 2, and forged sources fill it. */
class SynCookieScriptsTest {

    private static final TcpSettings ALL = Script.settings()
            .withMtu(1500)
            .withBuffers(256 * 1024, 256 * 1024)
            .withFeatures(TcpSettings.Features.all());

    private static final String FULL = """
            +0    listen
            +0    forged 1 S 0:0 win 5000 mss 1460
            +0    forged 2 S 0:0 win 5000 mss 1460
            """;

    private static final String ACCEPTED = FULL + """
            +0    < S 0:0 win 5000 mss 1460
            +0    > S. 0:0 ack 1
            +0.01 < . 1:1 ack 1 win 5000
            +0    state ESTABLISHED
            """;

    @Test
    void backlogIsFull_peer_connectsAndTransfersBothWays() {
        Script.run(ACCEPTED + """
                +0    write 1500
                +0    > . 1:1001 ack 1
                +0    > P. 1001:1501 ack 1
                +0.01 < . 1:1001 ack 1501 win 5000 fill 3
                +0.04 > . 1501:1501 ack 1001
                +0    bytes 3x1000
                +0    < F. 1001:1001 ack 1501 win 5000
                +0    > . 1501:1501 ack 1002
                +0    end
                +0    close
                +0    > F. 1501:1501 ack 1002
                +0.01 < . 1002:1002 ack 1502 win 5000
                """);
    }

    // The window of the SYN-ACK and of the peer's SYN are not scaled, all later ones are (RFC 7323 section 2.2).
    @Test
    void backlogIsFull_peerWithTimestamps_keepsItsOptions() {
        Script.run(ALL, FULL + """
                +0    < SEW 0:0 win 500 mss 1460 sackOK ts 100 0 wscale 4
                +0    > SE. 0:0 ack 1 win 65535 mss 1460 sackOK wscale 3 tsecr 100
                +0.01 < . 1:1 ack 1 win 250 ts 110 echo
                +0    state ESTABLISHED
                +0    write 4000
                +0    > . 1:1449 ack 1 win 32768 tsecr 110 ect
                +0    > . 1449:2897 ack 1 tsecr 110 ect
                +0    > P. 2897:4001 ack 1 tsecr 110 ect
                +0.01 < . 1:1 ack 4001 win 250 ts 120 echo
                +0    < . 1001:2001 ack 4001 win 250 ts 130 echo
                +0    > . 4001:4001 ack 1 sack 1001:2001 tsecr 120
                +0    < . 1:1001 ack 4001 win 250 ts 105 echo
                +0    > . 4001:4001 ack 1 sack 1001:2001 tsecr 120
                """);
    }

    // Without timestamps there is no place for them.
    @Test
    void backlogIsFull_peerWithoutTimestamps_losesItsOtherOptions() {
        Script.run(ALL, FULL + """
                +0    < SEW 0:0 win 5000 mss 1460 sackOK wscale 4
                +0    > S. 0:0 ack 1 win 65535 mss 1460 nosackOK nowscale nots
                +0.01 < . 1:1 ack 1 win 2000
                +0    write 5000
                +0    > . 1:1461 ack 1 win 65535 nots noect
                +0    < . 1001:2001 ack 1461 win 65535
                +0    > . 1461:2921 ack 1 nosack
                +0    > . 2921:4381 ack 1 nosack
                +0    > P. 4381:5001 ack 1 nosack
                """);
    }

    // An option is used only if both sides have it.
    @Test
    void backlogIsFull_optionsThatThisSideLacks_areNotAgreed() {
        TcpSettings settings = Script.settings().withFeatures(new TcpSettings.Features(false, true, false));
        Script.run(settings, FULL + """
                +0    < SEW 0:0 win 5000 mss 1460 sackOK ts 100 0 wscale 4
                +0    > S. 0:0 ack 1 nosackOK nowscale tsecr 100
                +0.01 < . 1:1 ack 1 win 5000 ts 110 echo
                +0    write 1000
                +0    > . 1:989 tsecr 110 noect
                +0    > P. 989:1001 tsecr 110
                """);
    }

    // Of a table, the largest that the peer accepts; 536 bytes without the option (RFC 9293 section 3.7.1 [2]).
    @Test
    void backlogIsFull_mssOfThePeer_isRoundedDown() {
        for (String[] each :
                new String[][] {{"mss 1", "48"}, {"", "536"}, {"mss 1339", "1220"}, {"mss 1459", "1440"}}) {
            Script.run(ALL, FULL + """
                    +0    < S 0:0 win 5000 %s
                    +0    > S. 0:0 ack 1
                    +0.01 < . 1:1 ack 1 win 1500
                    +0    units %s
                    +0    > P. 1:%d
                    """.formatted(each[0], each[1], Integer.parseInt(each[1]) + 1));
        }
    }

    @Test
    void acknowledgmentIsLost_dataTakesItsPlace() {
        Script.run(FULL + """
                +0    < S 0:0 win 5000 mss 1460
                +0    > S. 0:0 ack 1
                +0.5  < P. 1:101 ack 1 win 5000 fill 7
                +0    state ESTABLISHED
                +0    bytes 7x100
                +0.04 > . 1:1 ack 101
                """);
    }

    // The same cookie in the same step of time, so the peer may use either answer.
    @Test
    void synIsRepeated_isAnsweredAgain() {
        Script.run(FULL + """
                +0    < S 0:0 win 5000 mss 1460
                +0    > S. 0:0 ack 1
                +1    < S 0:0 win 5000 mss 1460
                +0    > S. 0:0 ack 1
                +0.01 < . 1:1 ack 1 win 5000
                +0    state ESTABLISHED
                """);
    }

    // The answer with the cookie was slow, and the repeated SYN found space in the backlog.
    @Test
    void cookieArrivesAfterTheSynWasRepeated_replacesTheHalfOpenConnection() {
        Script.run(FULL + """
                +0    < S 0:0 win 5000 mss 1460
                +0    cookie
                +0    > S. 0:0 ack 1
                +0    forged 1 R 1:1
                +1    < S 0:0 win 5000 mss 1460
                +0    > S. 0:0 ack 1
                +0.01 < . 1:1 ack cookie win 5000
                +0    state ESTABLISHED
                +0    write 10
                +0    > P. ack 1
                +0    connections 2
                +0    forged 3 S 0:0 win 5000 mss 1460
                +0    connections 3
                """);
    }

    @Test
    void wrongCookie_isReset() {
        Script.run(FULL + """
                +0    < S 0:0 win 5000 mss 1460
                +0    > S. 0:0 ack 1
                +0    < . 1:1 ack 2 win 5000
                +0    > R 2:2
                +0    < . 1:1 ack 17 win 5000
                +0    > R 17:17
                +0    < . 2:2 ack 1 win 5000
                +0    > R 1:1
                +0    < . 1:1 ack 1 win 5000 ts 5 5
                +0    state ESTABLISHED
                """);
    }

    // Options that the peer was not offered.
    @Test
    void changedOptions_areReset() {
        Script.run(ALL, FULL + """
                +0    < S 0:0 win 500 mss 1460 ts 100 0 wscale 4
                +0    > S. 0:0 ack 1
                +0    < . 1:1 ack 1 win 250
                +0    > R 1:1
                +0    < . 1:1 ack 1 win 250 ts 100 0
                +0    > R 1:1
                +0    < S. 0:0 ack 1 win 250 ts 100 echo
                +0    > R 1:1
                +0    < . 1:1 ack 1 win 250 ts 100 echo
                +0    state ESTABLISHED
                """);
    }

    @Test
    void cookieOfAnotherPeer_isReset() {
        Script.run(FULL + """
                +0    < S 0:0 win 5000 mss 1460
                +0    > S. 0:0 ack 1
                +0    forged 3 . 1:1 ack 1 win 5000
                +0    connections 2
                +0    < . 1:1 ack 1 win 5000
                +0    state ESTABLISHED
                """);
    }

    // The step of time in which the cookie was sent, and the next one: 69 to 138 s.
    @Test
    void cookie_isValidInTheNextStep_butNotAfterIt() {
        String asked = FULL + """
                +0    < S 0:0 win 5000 mss 1460
                +0    > S. 0:0 ack 1
                """;
        Script.run(asked + """
                +68.7 < . 1:1 ack 1 win 5000
                +0    state ESTABLISHED
                """);
        // The listener still expects cookies, because it sends another one.
        Script.run(asked + """
                +100  forged 3 S 0:0 win 5000 mss 1460
                +38   < . 1:1 ack 1 win 5000
                +0    > R 1:1
                """);
    }

    @Test
    void copyOfTheAcknowledgment_afterTheConnectionHasEnded_isReset() {
        Script.run(ACCEPTED + """
                +0    < R 1:1
                +0    broken RESET
                +1    < . 1:1 ack 1 win 5000
                +0    > R 1:1
                +0    connections 2
                """);
    }

    @Test
    void copyOfTheAcknowledgment_ofAnOpenConnection_changesNothing() {
        Script.run(ACCEPTED + """
                +0    < . 1:1 ack 1 win 5000
                +0    state ESTABLISHED
                """);
    }

    @Test
    void validCookie_ofAListenerThatHasNotSentAny_isReset() {
        Script.run(FULL + """
                +0    < S 0:0 win 5000 mss 1460
                +0    > S. 0:0 ack 1
                +0    relisten
                +0    < . 1:1 ack 1 win 5000
                +0    > R 1:1
                """);
    }

    // The cookies of a listener are valid for 138 s.
    @Test
    void acknowledgment_longAfterTheBacklogWasFull_isReset() {
        Script.run(FULL + """
                +0    < S 0:0 win 5000 mss 1460
                +0    > S. 0:0 ack 1
                +138  < . 1:1 ack 1 win 5000
                +0    > R 1:1
                """);
    }

    @Test
    void resetAndFin_ofNoConnection_areNotAnsweredWithCookies() {
        Script.run(FULL + """
                +0    < S 0:0 win 5000 mss 1460
                +0    > S. 0:0 ack 1
                +0    < R. 1:1 ack 1
                +0    < SF 0:0 win 5000
                +0    < F 1:1
                +0    connections 2
                """);
    }

    // A connection in TIME-WAIT makes way for one that is set up, not for a cookie.
    @Test
    void synInTimeWait_whileTheBacklogIsFull_isChallenged() {
        Script.run("""
                +0    listen
                +0    < S 0:0 win 5000 mss 1460
                +0    > S. 0:0 ack 1
                +0.01 < . 1:1 ack 1 win 5000
                +0    close
                +0    > F. 1:1 ack 1
                +0    < F. 1:1 ack 2
                +0    > . 2:2 ack 2
                +0    forged 1 S 0:0 win 5000 mss 1460
                +0    forged 2 S 0:0 win 5000 mss 1460
                +1    < S 9000:9000 win 5000 mss 1460
                +0    > . 2:2 ack 2
                """);
    }
}
