package io.verbena.fabric.mad;

import io.verbena.wire.Header;

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
 * <p>Source: InfiniBand architecture specification, volume 1, section 14.2.5.4.
 */
public final class SwitchInfo extends Header<SwitchInfo> {
    /** Length in bytes. */
    public static final int LENGTH = 20;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** LinearFDBCap: LIDs in the forwarding table. */
    public int linearFdbCap() {
        return u16(0);
    }

    public SwitchInfo linearFdbCap(int value) {
        return u16(0, value);
    }

    /** RandomFDBCap: 0. */
    public int randomFdbCap() {
        return u16(2);
    }

    public SwitchInfo randomFdbCap(int value) {
        return u16(2, value);
    }

    /** MulticastFDBCap: LIDs in the multicast table. */
    public int multicastFdbCap() {
        return u16(4);
    }

    public SwitchInfo multicastFdbCap(int value) {
        return u16(4, value);
    }

    /** LinearFDBTop: the highest LID that is forwarded. */
    public int linearFdbTop() {
        return u16(6);
    }

    public SwitchInfo linearFdbTop(int value) {
        return u16(6, value);
    }

    /** DefaultPort. */
    public int defaultPort() {
        return u8(8);
    }

    public SwitchInfo defaultPort(int value) {
        return u8(8, value);
    }

    /** DefaultMulticastPrimaryPort. */
    public int defaultMulticastPrimaryPort() {
        return u8(9);
    }

    public SwitchInfo defaultMulticastPrimaryPort(int value) {
        return u8(9, value);
    }

    /** DefaultMulticastNotPrimaryPort. */
    public int defaultMulticastNotPrimaryPort() {
        return u8(10);
    }

    public SwitchInfo defaultMulticastNotPrimaryPort(int value) {
        return u8(10, value);
    }

    /** LifeTimeValue: the time that a packet may stay, 4.096 us * 2^value. */
    public int lifeTimeValue() {
        return bits(11, 0, 5);
    }

    public SwitchInfo lifeTimeValue(int value) {
        return bits(11, 0, 5, value);
    }

    /** PortStateChange: whether the state of a port has changed. */
    public boolean portStateChange() {
        return flag(11, 5);
    }

    public SwitchInfo portStateChange(boolean value) {
        return flag(11, 5, value);
    }

    /** LIDsPerPort. */
    public int lidsPerPort() {
        return u16(12);
    }

    public SwitchInfo lidsPerPort(int value) {
        return u16(12, value);
    }

    /** PartitionEnforcementCap. */
    public int partitionEnforcementCap() {
        return u16(14);
    }

    public SwitchInfo partitionEnforcementCap(int value) {
        return u16(14, value);
    }

    /** InboundEnforcementCap. */
    public boolean inboundEnforcementCap() {
        return flag(16, 0);
    }

    public SwitchInfo inboundEnforcementCap(boolean value) {
        return flag(16, 0, value);
    }

    /** OutboundEnforcementCap. */
    public boolean outboundEnforcementCap() {
        return flag(16, 1);
    }

    public SwitchInfo outboundEnforcementCap(boolean value) {
        return flag(16, 1, value);
    }

    /** EnhancedPort0. */
    public boolean enhancedPort0() {
        return flag(16, 4);
    }

    public SwitchInfo enhancedPort0(boolean value) {
        return flag(16, 4, value);
    }

    /** MulticastFDBTop. */
    public int multicastFdbTop() {
        return u16(18);
    }

    public SwitchInfo multicastFdbTop(int value) {
        return u16(18, value);
    }
}
