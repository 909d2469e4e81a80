package io.verbena.tcp;

import org.junit.jupiter.api.Test;

/** Data without loss of our own: segmentation, acknowledgments, SACK of a receiver, windows of a receiver. */
class DataScriptsTest {

    private static final String OPEN = Script.accepted(20_000, "mss 1000 sackOK");

    // RFC 9293 section 3.9.1.2 [2]: PSH is set when nothing follows.
    @Test
    void write_bytes_leaveInFullSegments() {
        Script.run(OPEN + """
            +0    write 2500
            +0    > . 1:1001 ack 1
            +0    > . 1001:2001 ack 1
            +0    > P. 2001:2501 ack 1
            """);
    }

    @Test
    void write_units_segmentsEndWhereUnitsEnd() {
        Script.run(OPEN + """
            +0    units 300,400,800,1000,150
            +0    > . 1:701
            +0    > . 701:1501
            +0    > . 1501:2501
            +0    > P. 2501:2651
            """);
    }

    @Test
    void write_unitLongerThanASegment_isCutAndTheNextBeginsASegment() {
        Script.run(OPEN + """
            +0    units 1500,600
            +0    > . 1:1001
            +0    > . 1001:1501
            +0    > . 1501:2101
            """);
    }

    @Test
    void write_unitAfterBytes_beginsASegment() {
        Script.run(OPEN + """
            +0    write 10
            +0    > . 1:11
            +0    units 500
            +0    > . 11:511
            """);
    }

    // RFC 9293 section 3.8.6.3 [1]: less than half a second.
    @Test
    void data_oneSegment_isAcknowledgedAfterADelay() {
        Script.run(OPEN + """
            +0    < . 1:501 ack 1
            +0.04 > . 1:1 ack 501
            """);
    }

    // RFC 5681 section 4.2: at least every second full segment.
    @Test
    void data_everySecondSegment_isAcknowledgedAtOnce() {
        Script.run(OPEN + """
            +0    < . 1:1001 ack 1
            +0    < . 1001:2001 ack 1
            +0    > . ack 2001
            +0    < . 2001:3001 ack 1
            +0    < . 3001:4001 ack 1
            +0    > . ack 4001
            """);
    }

    // RFC 9293 sections 3.7.4 [1] and 3.9.1.2 [1]: small pieces are not held back.
    @Test
    void write_smallPieces_leaveAtOnce() {
        Script.run(OPEN + """
            +0    write 10
            +0    > P. 1:11
            +0    write 10
            +0    > P. 11:21
            +0    write 10
            +0    > P. 21:31
            """);
    }

    // RFC 9293 section 3.10.7.4 [1, 2]: one acknowledgment for all segments that the owner takes in one turn.
    @Test
    void segments_severalBeforeATurn_areAcknowledgedTogether() {
        Script.run(OPEN + """
            +0    segments
            +0    < . 1:1001 ack 1
            +0    < . 1001:2001 ack 1
            +0    < . 2001:3001 ack 1
            +0    < . 3001:4001 ack 1
            +0    receive 0:4000 inorder 4000
            +0    > . ack 4001
            """);
    }

    @Test
    void data_withOwnData_isAcknowledgedByIt() {
        Script.run(OPEN + """
            +0    < . 1:501 ack 1
            +0.01 write 100
            +0    > . 1:101 ack 501
            +0.01 < . 501:501 ack 101
            """);
    }

    // RFC 2018 section 4: the first block contains the segment that arrived last.
    @Test
    void holes_reportedBySack_mostRecentFirst() {
        Script.run(OPEN + """
            +0    < . 1001:2001 ack 1
            +0    > . ack 1 sack 1001:2001
            +0    < . 3001:4001 ack 1
            +0    > . ack 1 sack 3001:4001,1001:2001
            +0    < . 5001:6001 ack 1
            +0    > . ack 1 sack 5001:6001,3001:4001,1001:2001
            +0    < . 2001:3001 ack 1
            +0    > . ack 1 sack 1001:4001,5001:6001
            +0    < . 1:1001 ack 1
            +0    > . ack 4001 sack 5001:6001
            +0    < . 4001:5001 ack 1
            +0    > . ack 6001 nosack
            +0    read 6000
            """);
    }

    @Test
    void holes_peerWithoutSack_areAnsweredByDuplicateAcknowledgments() {
        Script.run(Script.accepted(5000, "mss 1000") + """
            +0    < . 1001:2001 ack 1
            +0    > . ack 1 nosack
            +0    < . 2001:3001 ack 1
            +0    > . ack 1 nosack
            +0    < . 1:1001 ack 1
            +0    > . ack 3001
            """);
    }

    // RFC 2883 section 4: a duplicate is reported once, in the first block.
    @Test
    void duplicate_received_isReportedByDsack() {
        Script.run(OPEN + """
            +0    < . 1:1001 ack 1
            +0    < . 1001:2001 ack 1
            +0    > . ack 2001
            +0    < . 1:1001 ack 1
            +0    > . ack 2001 sack 1:1001
            +0    < . 3001:4001 ack 1
            +0    > . ack 2001 sack 3001:4001
            +0    < . 3001:4001 ack 1
            +0    > . ack 2001 sack 3001:4001,3001:4001
            """);
    }

    // RFC 9293 section 3.1 [3]: a wrong checksum.
    @Test
    void checksum_wrong_segmentIsIgnored() {
        Script.run(OPEN + """
            +0    < . 1:1001 ack 1 spoilt
            +0    < . 1001:2001 ack 1
            +0    > . ack 1 sack 1001:2001
            """);
    }

    @Test
    void overlap_differentBytes_firstOnesCount() {
        Script.run(OPEN + """
            +0    < . 501:1501 ack 1 fill 1
            +0    > . ack 1
            +0    < . 1:2001 ack 1 fill 2
            +0    > . ack 2001
            +0    bytes 2x500,1x1000,2x500
            """);
    }

    @Test
    void sequenceNumbers_wrap_nothingChanges() {
        Script.run(Script.settings(), -1500, OPEN + """
            +0    < . 1:1001 ack 1 fill 1
            +0    < . 2001:3001 ack 1 fill 3
            +0    > . ack 1001 sack 2001:3001
            +0    < . 1001:2001 ack 1 fill 2
            +0    > . ack 3001
            +0    bytes 1x1000,2x1000,3x1000
            +0    < F. 3001:3001 ack 1
            +0    > . ack 3002
            +0    end
            """);
    }

    // RFC 9293 section 3.8.6.2.2 [1]: the window opens in steps; what lies outside of it is not taken.
    @Test
    void window_fullOfUnreadBytes_closesAndReopensInSteps() {
        Script.run(OPEN + """
            +0    < . 1:32001 ack 1
            +0    > . ack 32001 win 33536
            +0    < . 32001:65537 ack 1
            +0    > . ack 65537 win 0
            +0    < . 65537:65538 ack 1
            +0    > . ack 65537 win 0
            +0    read 900
            +0    read 1000
            +0    > . ack 65537 win 1900
            +0    read 60000
            +0    > . ack 65537 win 61900
            """);
    }

    @Test
    void data_partlyOutsideTheWindow_isTakenInPart() {
        Script.run(OPEN + """
            +0    < . 1:60001 ack 1
            +0    > . ack 60001 win 5536
            +0    < . 60001:70001 ack 1
            +0    > . ack 65537 win 0
            +0    readable 65536
            """);
    }

    // RFC 2018 section 3: what has arrived is held, by the owner or in the ring.
    @Test
    void segments_afterAHole_areReportedBySackWhetherTakenOrNot() {
        Script.run(OPEN + """
            +0    segments
            +0    < . 1001:2001 ack 1
            +0    receive 1000:2000
            +0    > . ack 1 sack 1001:2001
            +0    take first
            +0    < . 3001:4001 ack 1
            +0    receive 3000:4000
            +0    > . ack 1 sack 3001:4001,1001:2001
            +0    take none
            +0    < . 5001:6001 ack 1
            +0    receive 5000:6000
            +0    > . ack 1 sack 5001:6001,3001:4001,1001:2001
            +0    take all
            +0    < . 1:1001 ack 1
            +0    receive 0:1000 inorder 2000
            +0    > . ack 2001 sack 5001:6001,3001:4001
            +0    < . 2001:3001 ack 1
            +0    receive 2000:3000 3500:4000 inorder 4000
            +0    > . ack 4001 sack 5001:6001
            """);
    }

    // RFC 2018 section 8: the receiver may drop what it reported by SACK only, and the sender keeps it.
    @Test
    void segments_withdrawnAfterTheirSack_areNotAcknowledgedAndArriveAgain() {
        Script.run(OPEN + """
            +0    segments
            +0    < . 1001:2001 ack 1
            +0    receive 1000:2000
            +0    > . ack 1 sack 1001:2001
            +0    take first
            +0    withdraw 1000:2000
            +0    < . 1:1001 ack 1
            +0    receive 0:1000 500:1000 inorder 1000
            +0    > . ack 1001 nosack
            +0    take all
            +0    < . 1001:2001 ack 1
            +0    receive 1000:2000 inorder 2000
            +0.04 > . ack 2001 nosack
            """);
    }

    @Test
    void segments_withdrawnInPart_theRestIsStillReported() {
        Script.run(OPEN + """
            +0    segments
            +0    < . 1001:3001 ack 1
            +0    receive 1000:3000
            +0    > . ack 1 sack 1001:3001
            +0    take none
            +0    withdraw 1500:2000
            +0    < . 4001:5001 ack 1
            +0    receive 4000:5000
            +0    > . ack 1 sack 4001:5001,1001:1501,2001:3001
            +0    take inorder
            +0    < . 1:1001 ack 1
            +0    receive 0:1000 inorder 1500
            +0    > . ack 1501 sack 4001:5001,2001:3001
            +0    < . 1501:2001 ack 1
            +0    receive 1500:2000 inorder 3000
            +0    > . ack 3001
            """);
    }

    @Test
    void segments_refusedInOrder_areAcknowledgedAndOfferedAgain() {
        Script.run(OPEN + """
            +0    segments
            +0    take none
            +0    < . 1:1001 ack 1
            +0    < . 1001:2001 ack 1
            +0    receive 0:2000
            +0    > . ack 2001 win 63536
            +0    take all
            +0    receive 0:2000 inorder 2000
            +0    < . 2001:3001 ack 1
            +0    receive 2000:3000 inorder 3000
            +0.04 > . ack 3001 win 65535
            """);
    }

    @Test
    void segments_bytesReadBefore_countInTheOffset() {
        Script.run(OPEN + """
            +0    < . 1:1001 ack 1
            +0    read 300
            +0    segments
            +0    receive 0:700 inorder 700
            +0.04 > . ack 1001
            """);
    }

    @Test
    void segments_finAfterAHole_endsWhenAllIsTaken() {
        Script.run(OPEN + """
            +0    segments
            +0    < F. 1001:2001 ack 1
            +0    receive 1000:2000
            +0    > . ack 1 sack 1001:2001
            +0    < . 1:1001 ack 1
            +0    receive 0:1000 inorder 2000
            +0    > . ack 2002
            +0    receive end
            +0    state CLOSE_WAIT
            """);
    }

    @Test
    void segmentsAfterAHole_takenFromTheMemoryOfTheCarrier_areNotCopied() {
        Script.run(OPEN + """
            +0    segments
            +0    lend
            +0    < . 1001:2001 ack 1
            +0    < . 3001:4001 ack 1
            +0    < . 2001:3001 ack 1
            +0    receive 1000:2000 3000:4000 2000:3000
            +0    settle
            +0    copied 0
            +0    > . ack 1 sack 1001:4001
            +0    < . 1:1001 ack 1
            +0    receive 0:1000 inorder 4000
            +0    settle
            +0    copied 0
            +0    > . ack 4001
            """);
    }

    @Test
    void segmentAfterAHole_takenInPart_theRestIsCopiedAndOfferedAgain() {
        Script.run(OPEN + """
            +0    segments
            +0    lend
            +0    take first
            +0    < . 1001:2001 ack 1
            +0    receive 1000:2000
            +0    settle
            +0    copied 500
            +0    > . ack 1 sack 1001:2001
            +0    take all
            +0    < . 1:1001 ack 1
            +0    receive 0:1000 1500:2000 inorder 2000
            +0    copied 500
            +0    > . ack 2001
            """);
    }

    @Test
    void segmentAfterAHole_refused_isCopiedOnceAndOfferedWhenTheHoleCloses() {
        Script.run(OPEN + """
            +0    segments
            +0    lend
            +0    take none
            +0    < . 1001:2001 ack 1
            +0    receive 1000:2000
            +0    settle
            +0    > . ack 1 sack 1001:2001
            +0    < . 1001:2001 ack 1
            +0    receive 1000:2000
            +0    settle
            +0    copied 1000
            +0    > . ack 1 sack 1001:2001,1001:2001
            +0    take all
            +0    < . 1:1001 ack 1
            +0    receive 0:1000 1000:2000 inorder 2000
            +0    > . ack 2001
            """);
    }

    @Test
    void segmentThatOverlapsWhatWasTaken_onlyTheRestIsOffered() {
        Script.run(OPEN + """
            +0    segments
            +0    lend
            +0    < . 1501:2001 ack 1
            +0    receive 1500:2000
            +0    settle
            +0    > . ack 1 sack 1501:2001
            +0    < . 1001:2501 ack 1
            +0    receive 1000:1500 2000:2500
            +0    settle
            +0    copied 0
            +0    > . ack 1 sack 1001:2501
            """);
    }
}
