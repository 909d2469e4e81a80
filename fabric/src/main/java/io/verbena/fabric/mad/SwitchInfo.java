package io.verbena.fabric.mad;

import java.lang.foreign.MemorySegment;

/**
 * SwitchInfo: the tables of a switch.
 *
 * <pre>
 *    byte bits  field
 *       0   16  linearFdbCap
 *       2   16  randomFdbCap
 *       4   16  multicastFdbCap
 *       6   16  linearFdbTop
 *       8    8  defaultPort
 *       9    8  defaultMulticastPrimaryPort
 *      10    8  defaultMulticastNotPrimaryPort
 *      11    5  lifeTimeValue
 *    11.5    1  portStateChange
 *      12   16  lidsPerPort
 *      14   16  partitionEnforcementCap
 *      16    1  inboundEnforcementCap
 *    16.1    1  outboundEnforcementCap
 *    16.4    1  enhancedPort0
 *      18   16  multicastFdbTop
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 14.2.5.4.
 */
public final class SwitchInfo extends Fields {
    /** Length in bytes. */
    public static final int LENGTH = 20;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public SwitchInfo wrap(MemorySegment segment, long offset) {
        point(segment, offset);
        return this;
    }

    /** LinearFDBCap: LIDs in the forwarding table. */
    public int linearFdbCap() {
        return u16(0);
    }

    /** Writes linearFdbCap. */
    public SwitchInfo linearFdbCap(int value) {
        u16(0, value);
        return this;
    }

    /** RandomFDBCap: 0. */
    public int randomFdbCap() {
        return u16(2);
    }

    /** Writes randomFdbCap. */
    public SwitchInfo randomFdbCap(int value) {
        u16(2, value);
        return this;
    }

    /** MulticastFDBCap: LIDs in the multicast table. */
    public int multicastFdbCap() {
        return u16(4);
    }

    /** Writes multicastFdbCap. */
    public SwitchInfo multicastFdbCap(int value) {
        u16(4, value);
        return this;
    }

    /** LinearFDBTop: the highest LID that is forwarded. */
    public int linearFdbTop() {
        return u16(6);
    }

    /** Writes linearFdbTop. */
    public SwitchInfo linearFdbTop(int value) {
        u16(6, value);
        return this;
    }

    /** DefaultPort. */
    public int defaultPort() {
        return u8(8);
    }

    /** Writes defaultPort. */
    public SwitchInfo defaultPort(int value) {
        u8(8, value);
        return this;
    }

    /** DefaultMulticastPrimaryPort. */
    public int defaultMulticastPrimaryPort() {
        return u8(9);
    }

    /** Writes defaultMulticastPrimaryPort. */
    public SwitchInfo defaultMulticastPrimaryPort(int value) {
        u8(9, value);
        return this;
    }

    /** DefaultMulticastNotPrimaryPort. */
    public int defaultMulticastNotPrimaryPort() {
        return u8(10);
    }

    /** Writes defaultMulticastNotPrimaryPort. */
    public SwitchInfo defaultMulticastNotPrimaryPort(int value) {
        u8(10, value);
        return this;
    }

    /** LifeTimeValue: the time that a packet may stay, 4.096 us * 2^value. */
    public int lifeTimeValue() {
        return bits(88, 5);
    }

    /** Writes lifeTimeValue. */
    public SwitchInfo lifeTimeValue(int value) {
        bits(88, 5, value);
        return this;
    }

    /** PortStateChange: whether the state of a port has changed. */
    public boolean portStateChange() {
        return bits(93, 1) != 0;
    }

    /** Writes portStateChange. */
    public SwitchInfo portStateChange(boolean value) {
        bits(93, 1, value ? 1 : 0);
        return this;
    }

    /** LIDsPerPort. */
    public int lidsPerPort() {
        return u16(12);
    }

    /** Writes lidsPerPort. */
    public SwitchInfo lidsPerPort(int value) {
        u16(12, value);
        return this;
    }

    /** PartitionEnforcementCap. */
    public int partitionEnforcementCap() {
        return u16(14);
    }

    /** Writes partitionEnforcementCap. */
    public SwitchInfo partitionEnforcementCap(int value) {
        u16(14, value);
        return this;
    }

    /** InboundEnforcementCap. */
    public boolean inboundEnforcementCap() {
        return bits(128, 1) != 0;
    }

    /** Writes inboundEnforcementCap. */
    public SwitchInfo inboundEnforcementCap(boolean value) {
        bits(128, 1, value ? 1 : 0);
        return this;
    }

    /** OutboundEnforcementCap. */
    public boolean outboundEnforcementCap() {
        return bits(129, 1) != 0;
    }

    /** Writes outboundEnforcementCap. */
    public SwitchInfo outboundEnforcementCap(boolean value) {
        bits(129, 1, value ? 1 : 0);
        return this;
    }

    /** EnhancedPort0. */
    public boolean enhancedPort0() {
        return bits(132, 1) != 0;
    }

    /** Writes enhancedPort0. */
    public SwitchInfo enhancedPort0(boolean value) {
        bits(132, 1, value ? 1 : 0);
        return this;
    }

    /** MulticastFDBTop. */
    public int multicastFdbTop() {
        return u16(18);
    }

    /** Writes multicastFdbTop. */
    public SwitchInfo multicastFdbTop(int value) {
        u16(18, value);
        return this;
    }
}
