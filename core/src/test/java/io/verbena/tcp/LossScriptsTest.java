package io.verbena.tcp;

import org.junit.jupiter.api.Test;

/** Loss detection, recovery and congestion control: RFC 5681, 6298, 6582, 6675, 6937 and 8985. */
class LossScriptsTest {

    private static final String SACK = Script.accepted(60_000, "mss 1000 sackOK");
    private static final String PLAIN = Script.accepted(60_000, "mss 1000");

    /** Ten segments in flight: the initial window. */
    private static final String TEN = """
            +0    write 20000
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
            """;

    @Test
    void start_tenSegments_thenTwoMorePerAcknowledgment() {
        Script.run(SACK + TEN + """
                +0    cwnd 10000
                +0.01 < . 1:1 ack 2001 win 60000
                +0    > . 10001:11001
                +0    > . 11001:12001
                +0    > . 12001:13001
                +0    > . 13001:14001
                +0    cwnd 12000
                """);
    }

    // RFC 9293 sections 3.8.1 [1] and 3.8.2 [1], RFC 6298 sections 5.4 to 5.6 [note]: the first segment again, with a
    // doubled timeout.
    @Test
    void unacknowledged_timeout_repeatsTheFirstWithBackOffAndOneSegmentWindow() {
        Script.run(PLAIN + TEN + """
                +0.2  > . 1:1001
                +0    cwnd 1000
                +0.4  > . 1:1001
                +0.8  > . 1:1001
                +0.01 < . 1:1 ack 1001 win 60000
                +0    > . 1001:2001
                +0    > . 2001:3001
                +0.01 < . 1:1 ack 3001 win 60000
                +0    > . 3001:4001
                +0    > . 4001:5001
                +0    > . 5001:6001
                +0    > . 6001:7001
                """);
    }

    // RFC 9293 section 3.8.3 [1, 2]: given up after the time of the settings.
    @Test
    void unacknowledged_forTwoMinutes_endsTheConnection() {
        Script.run(PLAIN + """
                +0    write 10
                +0    > P. 1:11
                +0.2  > P. 1:11
                +0.4  > P. 1:11
                +0.8  > P. 1:11
                +1.6  > P. 1:11
                +3.2  > P. 1:11
                +6.4  > P. 1:11
                +12.8 > P. 1:11
                +25.6 > P. 1:11
                +51.2 > P. 1:11
                +60   broken SILENT
                """);
    }

    /** The process was stopped for longer than the bound: the silence was its own, and it repeats the segment before it gives up. */
    @Test
    void unacknowledged_ownProcessStopped_repeatsFirst() {
        Script.run(PLAIN + """
                +0    write 10
                +0    > P. 1:11
                +0    stopped 300
                +0    > P. 1:11
                +0.01 < . 1:1 ack 11
                +0    state ESTABLISHED
                """);
    }

    // RFC 5681 section 3.2 and RFC 6582: without SACK.
    @Test
    void threeDuplicates_withoutSack_repeatTheFirstAndHalveTheWindow() {
        Script.run(PLAIN + TEN + """
                +0.01 < . 1:1 ack 1 win 60000
                +0    > . 10001:11001
                +0    < . 1:1 ack 1 win 60000
                +0    > . 11001:12001
                +0    < . 1:1 ack 1 win 60000
                +0    > . 1:1001
                +0.01 < . 1:1 ack 12001 win 60000
                +0    cwnd 6000
                +0    > . 12001:13001
                +0    > . 13001:14001
                +0    > . 14001:15001
                +0    > . 15001:16001
                +0    > . 16001:17001
                +0    > . 17001:18001
                """);
    }

    // RFC 6582 section 3.2, step 3: a partial acknowledgment shows the next loss.
    @Test
    void partialAcknowledgment_withoutSack_repeatsTheNextLoss() {
        Script.run(PLAIN + """
                +0    write 8000
                +0    > . 1:1001
                +0    > . 1001:2001
                +0    > . 2001:3001
                +0    > . 3001:4001
                +0    > . 4001:5001
                +0    > . 5001:6001
                +0    > . 6001:7001
                +0    > . 7001:8001
                +0.01 < . 1:1 ack 1 win 60000
                +0    < . 1:1 ack 1 win 60000
                +0    < . 1:1 ack 1 win 60000
                +0    > . 1:1001
                +0.01 < . 1:1 ack 3001 win 60000
                +0    > . 3001:4001
                +0.01 < . 1:1 ack 8001 win 60000
                +0    cwnd 4000
                """);
    }

    // RFC 3042: new data is sent on the first two duplicates.
    @Test
    void firstDuplicates_withSack_releaseNewData() {
        Script.run(SACK + TEN + """
                +0.01 < . 1:1 ack 1 win 60000 sack 1001:2001
                +0    > . 10001:11001
                +0    < . 1:1 ack 1 win 60000 sack 1001:3001
                +0    > . 11001:12001
                """);
    }

    // RFC 6675 section 5: two losses are repaired in one round trip, each once.
    @Test
    void twoHoles_withSack_areBothRepairedAndNothingElse() {
        Script.run(SACK + """
                +0    write 10000
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
                +0.01 < . 1:1 ack 1 win 60000 sack 1001:2001
                +0    < . 1:1 ack 1 win 60000 sack 1001:2001,3001:4001
                +0    < . 1:1 ack 1 win 60000 sack 1001:2001,3001:5001
                +0    > . 1:1001
                +0    < . 1:1 ack 1 win 60000 sack 1001:2001,3001:6001
                +0    < . 1:1 ack 1 win 60000 sack 1001:2001,3001:7001
                +0    > . 2001:3001
                +0    < . 1:1 ack 1 win 60000 sack 1001:2001,3001:10001
                +0.01 < . 1:1 ack 2001 win 60000 sack 3001:10001
                +0    < . 1:1 ack 10001 win 60000
                +0    cwnd 5000
                """);
    }

    @Test
    void repeatedSegment_ofUnits_keepsItsBoundaries() {
        Script.run(SACK + """
                +0    units 700,600,900,800,1000,500
                +0    > . 1:701
                +0    > . 701:1301
                +0    > . 1301:2201
                +0    > . 2201:3001
                +0    > . 3001:4001
                +0    > . 4001:4501
                +0.01 < . 1:1 ack 701 win 60000 sack 1301:3001
                +0    < . 1:1 ack 701 win 60000 sack 1301:4501
                +0    > . 701:1301
                """);
    }

    // RFC 8985 section 7.2 and 7.3: the tail is probed after two round trips, and the time of a delayed acknowledgment.
    @Test
    void tail_lost_isProbedBeforeTheTimeout() {
        Script.run(SACK + """
                +0    write 2000
                +0    > . 1:1001
                +0    > . 1001:2001
                +0.022 > . 1001:2001
                +0.01 < . 1:1 ack 1 win 60000 sack 1001:2001
                +0    > . 1:1001
                +0.01 < . 1:1 ack 2001 win 60000
                """);
    }

    @Test
    void tail_oneSegmentLost_isProbedAfterTheDelayOfThePeer() {
        Script.run(SACK + """
                +0    write 1000
                +0    > . 1:1001
                +0.072 > . 1:1001
                +0.2  > . 1:1001
                """);
    }

    // RFC 8985 section 6.2: a segment that is only late is not repeated once reordering was seen.
    @Test
    void reordering_seenBefore_isNotTakenForLoss() {
        Script.run(SACK + """
                +0    write 6000
                +0    > . 1:1001
                +0    > . 1001:2001
                +0    > . 2001:3001
                +0    > . 3001:4001
                +0    > . 4001:5001
                +0    > . 5001:6001
                +0.01 < . 1:1 ack 1 win 60000 sack 1001:2001
                +0    < . 1:1 ack 2001 win 60000
                +0.001 < . 1:1 ack 2001 win 60000 sack 3001:4001
                +0    < . 1:1 ack 2001 win 60000 sack 3001:5001
                +0    < . 1:1 ack 2001 win 60000 sack 3001:6001
                +0.001 < . 1:1 ack 6001 win 60000
                """);
    }

    @Test
    void reordering_longerThanTheWindowOfRack_isRepaired() {
        Script.run(SACK + """
                +0    write 6000
                +0    > . 1:1001
                +0    > . 1001:2001
                +0    > . 2001:3001
                +0    > . 3001:4001
                +0    > . 4001:5001
                +0    > . 5001:6001
                +0.01 < . 1:1 ack 1 win 60000 sack 1001:2001
                +0    < . 1:1 ack 2001 win 60000
                +0    < . 1:1 ack 2001 win 60000 sack 3001:6001
                +0.003 > . 2001:3001
                +0.01 < . 1:1 ack 6001 win 60000
                """);
    }

    // RFC 2018 section 8: reported bytes may be discarded by the receiver. An acknowledgment that ends before them
    // shows it.
    @Test
    void receiver_discardsWhatItReported_isSentAgainAtOnce() {
        Script.run(SACK + """
                +0    write 3000
                +0    > . 1:1001
                +0    > . 1001:2001
                +0    > . 2001:3001
                +0.01 < . 1:1 ack 1 win 60000 sack 1001:3001
                +0.003 > . 1:1001
                +0.01 < . 1:1 ack 1001 win 60000
                +0    > . 1001:2001
                +0    > . 2001:3001
                +0.01 < . 1:1 ack 3001 win 60000
                """);
    }

    @Test
    void receiver_discardsAPartOfWhatItReported_onlyThatIsSentAgain() {
        Script.run(SACK + """
                +0    write 4000
                +0    > . 1:1001
                +0    > . 1001:2001
                +0    > . 2001:3001
                +0    > . 3001:4001
                +0.01 < . 1:1 ack 1 win 60000 sack 1001:4001
                +0    > . 1:1001
                +0.01 < . 1:1 ack 1001 win 60000 sack 2001:4001
                +0    > . 1001:2001
                +0.01 < . 1:1 ack 4001 win 60000
                """);
    }

    // RFC 3708 section 3: the first segment was only late.
    @Test
    void recovery_everyRepetitionReportedAsDuplicate_theWindowReturns() {
        Script.run(SACK + TEN.replace("write 20000", "write 10000") + """
                +0.01 < . 1:1 ack 1 win 60000 sack 1001:4001
                +0    > . 1:1001
                +0.012 < . 1:1 ack 10001 win 60000
                +0    cwnd 5000
                +0.001 < . 1:1 ack 10001 win 60000 sack 1:1001
                +0    cwnd 10000
                """);
    }

    // RFC 8985 section 6.2, step 2: the repetition cannot have arrived yet.
    @Test
    void recovery_repetitionAcknowledgedSoonerThanARoundTrip_theWindowReturns() {
        Script.run(SACK + TEN.replace("write 20000", "write 10000") + """
                +0.01 < . 1:1 ack 1 win 60000 sack 1001:4001
                +0    > . 1:1001
                +0.001 < . 1:1 ack 10001 win 60000
                +0    cwnd 10000
                """);
    }

    @Test
    void recovery_repetitionWithoutAReport_theWindowStaysReduced() {
        Script.run(SACK + TEN.replace("write 20000", "write 10000") + """
                +0.01 < . 1:1 ack 1 win 60000 sack 1001:10001
                +0    > . 1:1001
                +0.01 < . 1:1 ack 10001 win 60000
                +0    cwnd 5000
                +0    < . 1:1 ack 10001 win 60000 sack 4001:5001
                +0    cwnd 5000
                """);
    }

    @Test
    void sack_ofWhatWasNotSent_isIgnored() {
        Script.run(SACK + """
                +0    write 2000
                +0    > . 1:1001
                +0    > . 1001:2001
                +0.01 < . 1:1 ack 1 win 60000 sack 5001:9001,1001:900000,2001:1001,-4000:-3000
                +0    < . 1:1 ack 2001 win 60000
                +0    write 1000
                +0    > . 2001:3001
                """);
    }

    // RFC 5681 section 4.1: after an idle time the window is not larger than the initial one.
    @Test
    void idle_forLongerThanTheTimeout_startsWithTheInitialWindow() {
        Script.run(SACK + TEN + """
                +0.01 < . 1:1 ack 10001 win 60000
                +0    > . 10001:11001
                +0    > . 11001:12001
                +0    > . 12001:13001
                +0    > . 13001:14001
                +0    > . 14001:15001
                +0    > . 15001:16001
                +0    > . 16001:17001
                +0    > . 17001:18001
                +0    > . 18001:19001
                +0    > . 19001:20001
                +0.01 < . 1:1 ack 20001 win 60000
                +0    cwnd 18000
                +5    write 1
                +0    > . 20001:20002
                +0    cwnd 10000
                """);
    }

    // RFC 1191 section 6.3 and RFC 9293 section 3.7.2: smaller segments at once, cut from those in flight.
    @Test
    void path_becomesNarrower_segmentsAreCutAndSentAgain() {
        Script.run(SACK + """
                +0    write 2000
                +0    > . 1:1001
                +0    > . 1001:2001
                +0.01 mtu 640 1
                +0    > . 1:601
                +0    > . 601:1001
                +0    > . 1001:1601
                +0    > . 1601:2001
                """);
    }

    // RFC 5927 sections 4.1 and 7.2: a report must be about a segment in flight.
    @Test
    void path_forgedReports_areIgnored() {
        Script.run(SACK + """
                +0    write 2000
                +0    > . 1:1001
                +0    > . 1001:2001
                +0.01 mtu 640 7777
                +0    mtu 68 1
                +0    mtu 9000 1
                +0    < . 1:1 ack 2001 win 60000
                """);
    }

    private static final String SIX = """
            +0    write 6000
            +0    > . 1:1001
            +0    > . 1001:2001
            +0    > . 2001:3001
            +0    > . 3001:4001
            +0    > . 4001:5001
            +0    > . 5001:6001
            """;

    // RFC 6675 section 4: the blocks of an acknowledgment that another one has overtaken still state what the peer has.
    @Test
    void lateAcknowledgment_itsBlocksShowALoss_isRepairedWithoutATimeout() {
        Script.run(SACK + SIX + """
                +0.01 < . 1:1 ack 2001 win 60000
                +0    < . 1:1 ack 1001 win 60000 sack 3001:6001
                +0    > . 2001:3001
                +0.01 < . 1:1 ack 6001 win 60000
                """);
    }

    // RFC 9293 section 3.10.7.4 [note]: neither the number nor the window of an old acknowledgment counts.
    @Test
    void lateAcknowledgment_changesNeitherTheWindowNorWhatIsAcknowledged() {
        Script.run(Script.accepted(6_000, "mss 1000 sackOK") + SIX + """
                +0.01 < . 1:1 ack 6001 win 2000
                +0    < . 1:1 ack 3001 win 60000
                +0    write 4000
                +0    > . 6001:7001
                +0    > . 7001:8001
                """);
    }

    // RFC 2883 section 4: a duplicate that a late acknowledgment reports is no delivery.
    @Test
    void lateAcknowledgment_withADuplicate_selectsNothing() {
        Script.run(SACK + SIX + """
                +0.01 < . 1:1 ack 3001 win 60000
                +0    < . 1:1 ack 2001 win 60000 sack 1:1001
                +0    < . 1:1 ack 2001 win 60000 sack 1001:2001,1001:3001
                +0.001 < . 1:1 ack 6001 win 60000
                """);
    }
}
