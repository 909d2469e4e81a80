package io.verbena.fabric.mad;

import java.lang.foreign.MemorySegment;

/**
 * PortInfo: address, state and limits of a port.
 *
 * <pre>
 *    byte bits  field
 *       0   64  mKey
 *       8   64  gidPrefix
 *      16   16  lid
 *      18   16  masterSmLid
 *      20   32  capabilityMask
 *      26   16  mKeyLeasePeriod
 *      28    8  localPortNum
 *      29    8  linkWidthEnabled
 *      30    8  linkWidthSupported
 *      31    8  linkWidthActive
 *      32    4  linkSpeedSupported
 *    32.4    4  portState
 *      32    4  portPhysicalState
 *    33.4    4  linkDownDefaultState
 *      34    2  mKeyProtectBits
 *    34.5    3  lmc
 *      35    4  linkSpeedActive
 *    35.4    4  linkSpeedEnabled
 *      36    4  neighborMtu
 *    36.4    4  masterSmSl
 *      37    4  vlCap
 *    37.4    4  initType
 *      38    8  vlHighLimit
 *      39    8  vlArbitrationHighCap
 *      40    8  vlArbitrationLowCap
 *      41    4  initTypeReply
 *    41.4    4  mtuCap
 *      42    3  vlStallCount
 *    42.3    5  hoqLife
 *      43    4  operationalVls
 *    43.4    1  partitionEnforcementInbound
 *    43.5    1  partitionEnforcementOutbound
 *    43.6    1  filterRawInbound
 *    43.7    1  filterRawOutbound
 *      44   16  mKeyViolations
 *      46   16  pKeyViolations
 *      48   16  qKeyViolations
 *      50    8  guidCap
 *      51    1  clientReregister
 *    51.3    5  subnetTimeOut
 *    52.3    5  respTimeValue
 *      53    4  localPhyErrors
 *    53.4    4  overrunErrors
 *    56.1    2  linkSpeedExtActive2
 *    56.3    2  linkSpeedExtSupported2
 *    56.5    3  linkSpeedExtEnabled2
 *      57   24  linkRoundTripLatency
 *      60   16  capabilityMask2
 *      62    4  linkSpeedExtActive
 *    62.4    4  linkSpeedExtSupported
 *    63.3    5  linkSpeedExtEnabled
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 14.2.5.6.
 */
public final class PortInfo extends Fields {
    /** Length in bytes. */
    public static final int LENGTH = 64;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public PortInfo wrap(MemorySegment segment, long offset) {
        point(segment, offset);
        return this;
    }

    /** M_Key. */
    public long mKey() {
        return u64(0);
    }

    /** Writes mKey. */
    public PortInfo mKey(long value) {
        u64(0, value);
        return this;
    }

    /** GidPrefix: the upper half of the IPv6 address. */
    public long gidPrefix() {
        return u64(8);
    }

    /** Writes gidPrefix. */
    public PortInfo gidPrefix(long value) {
        u64(8, value);
        return this;
    }

    /** LID: the base LID. */
    public int lid() {
        return u16(16);
    }

    /** Writes lid. */
    public PortInfo lid(int value) {
        u16(16, value);
        return this;
    }

    /** MasterSMLID. */
    public int masterSmLid() {
        return u16(18);
    }

    /** Writes masterSmLid. */
    public PortInfo masterSmLid(int value) {
        u16(18, value);
        return this;
    }

    /** CapabilityMask. */
    public int capabilityMask() {
        return u32(20);
    }

    /** Writes capabilityMask. */
    public PortInfo capabilityMask(int value) {
        u32(20, value);
        return this;
    }

    /** M_KeyLeasePeriod in seconds. */
    public int mKeyLeasePeriod() {
        return u16(26);
    }

    /** Writes mKeyLeasePeriod. */
    public PortInfo mKeyLeasePeriod(int value) {
        u16(26, value);
        return this;
    }

    /** LocalPortNum: the port that received the request. */
    public int localPortNum() {
        return u8(28);
    }

    /** Writes localPortNum. */
    public PortInfo localPortNum(int value) {
        u8(28, value);
        return this;
    }

    /** Writes LinkWidthEnabled. */
    public PortInfo linkWidthEnabled(int value) {
        u8(29, value);
        return this;
    }

    /** Writes LinkWidthSupported. */
    public PortInfo linkWidthSupported(int value) {
        u8(30, value);
        return this;
    }

    /** Writes LinkWidthActive. */
    public PortInfo linkWidthActive(int value) {
        u8(31, value);
        return this;
    }

    /** Writes LinkSpeedSupported. */
    public PortInfo linkSpeedSupported(int value) {
        bits(256, 4, value);
        return this;
    }

    /** PortState: 1 down, 2 initialize, 3 armed, 4 active. */
    public int portState() {
        return bits(260, 4);
    }

    /** Writes portState. */
    public PortInfo portState(int value) {
        bits(260, 4, value);
        return this;
    }

    /** PortPhysicalState: 2 polling, 3 disabled, 5 link up. */
    public int portPhysicalState() {
        return bits(264, 4);
    }

    /** Writes portPhysicalState. */
    public PortInfo portPhysicalState(int value) {
        bits(264, 4, value);
        return this;
    }

    /** LinkDownDefaultState. */
    public int linkDownDefaultState() {
        return bits(268, 4);
    }

    /** Writes linkDownDefaultState. */
    public PortInfo linkDownDefaultState(int value) {
        bits(268, 4, value);
        return this;
    }

    /** M_KeyProtectBits. */
    public int mKeyProtectBits() {
        return bits(272, 2);
    }

    /** Writes mKeyProtectBits. */
    public PortInfo mKeyProtectBits(int value) {
        bits(272, 2, value);
        return this;
    }

    /** LMC. */
    public int lmc() {
        return bits(277, 3);
    }

    /** Writes lmc. */
    public PortInfo lmc(int value) {
        bits(277, 3, value);
        return this;
    }

    /** Writes LinkSpeedActive. */
    public PortInfo linkSpeedActive(int value) {
        bits(280, 4, value);
        return this;
    }

    /** Writes LinkSpeedEnabled. */
    public PortInfo linkSpeedEnabled(int value) {
        bits(284, 4, value);
        return this;
    }

    /** NeighborMTU: 1 for 256 to 5 for 4096 bytes. */
    public int neighborMtu() {
        return bits(288, 4);
    }

    /** Writes neighborMtu. */
    public PortInfo neighborMtu(int value) {
        bits(288, 4, value);
        return this;
    }

    /** MasterSMSL. */
    public int masterSmSl() {
        return bits(292, 4);
    }

    /** Writes masterSmSl. */
    public PortInfo masterSmSl(int value) {
        bits(292, 4, value);
        return this;
    }

    /** VLCap: 1, 2, 4, 8, 15 lanes as 1 to 5. */
    public int vlCap() {
        return bits(296, 4);
    }

    /** Writes vlCap. */
    public PortInfo vlCap(int value) {
        bits(296, 4, value);
        return this;
    }

    /** VLHighLimit. */
    public int vlHighLimit() {
        return u8(38);
    }

    /** Writes vlHighLimit. */
    public PortInfo vlHighLimit(int value) {
        u8(38, value);
        return this;
    }

    /** Writes VLArbitrationHighCap. */
    public PortInfo vlArbitrationHighCap(int value) {
        u8(39, value);
        return this;
    }

    /** Writes VLArbitrationLowCap. */
    public PortInfo vlArbitrationLowCap(int value) {
        u8(40, value);
        return this;
    }

    /** MTUCap. */
    public int mtuCap() {
        return bits(332, 4);
    }

    /** Writes mtuCap. */
    public PortInfo mtuCap(int value) {
        bits(332, 4, value);
        return this;
    }

    /** VLStallCount. */
    public int vlStallCount() {
        return bits(336, 3);
    }

    /** Writes vlStallCount. */
    public PortInfo vlStallCount(int value) {
        bits(336, 3, value);
        return this;
    }

    /** HOQLife. */
    public int hoqLife() {
        return bits(339, 5);
    }

    /** Writes hoqLife. */
    public PortInfo hoqLife(int value) {
        bits(339, 5, value);
        return this;
    }

    /** OperationalVLs, like VLCap. */
    public int operationalVls() {
        return bits(344, 4);
    }

    /** Writes operationalVls. */
    public PortInfo operationalVls(int value) {
        bits(344, 4, value);
        return this;
    }

    /** PartitionEnforcementInbound. */
    public boolean partitionEnforcementInbound() {
        return bits(348, 1) != 0;
    }

    /** Writes partitionEnforcementInbound. */
    public PortInfo partitionEnforcementInbound(boolean value) {
        bits(348, 1, value ? 1 : 0);
        return this;
    }

    /** PartitionEnforcementOutbound. */
    public boolean partitionEnforcementOutbound() {
        return bits(349, 1) != 0;
    }

    /** Writes partitionEnforcementOutbound. */
    public PortInfo partitionEnforcementOutbound(boolean value) {
        bits(349, 1, value ? 1 : 0);
        return this;
    }

    /** FilterRawInbound. */
    public boolean filterRawInbound() {
        return bits(350, 1) != 0;
    }

    /** Writes filterRawInbound. */
    public PortInfo filterRawInbound(boolean value) {
        bits(350, 1, value ? 1 : 0);
        return this;
    }

    /** FilterRawOutbound. */
    public boolean filterRawOutbound() {
        return bits(351, 1) != 0;
    }

    /** Writes filterRawOutbound. */
    public PortInfo filterRawOutbound(boolean value) {
        bits(351, 1, value ? 1 : 0);
        return this;
    }

    /** M_KeyViolations. */
    public int mKeyViolations() {
        return u16(44);
    }

    /** Writes mKeyViolations. */
    public PortInfo mKeyViolations(int value) {
        u16(44, value);
        return this;
    }

    /** Writes GUIDCap. */
    public PortInfo guidCap(int value) {
        u8(50, value);
        return this;
    }

    /** Writes ClientReregister. */
    public PortInfo clientReregister(boolean value) {
        bits(408, 1, value ? 1 : 0);
        return this;
    }

    /** SubnetTimeOut. */
    public int subnetTimeOut() {
        return bits(411, 5);
    }

    /** Writes subnetTimeOut. */
    public PortInfo subnetTimeOut(int value) {
        bits(411, 5, value);
        return this;
    }

    /** Writes RespTimeValue. */
    public PortInfo respTimeValue(int value) {
        bits(419, 5, value);
        return this;
    }

    /** LocalPhyErrors. */
    public int localPhyErrors() {
        return bits(424, 4);
    }

    /** Writes localPhyErrors. */
    public PortInfo localPhyErrors(int value) {
        bits(424, 4, value);
        return this;
    }

    /** OverrunErrors. */
    public int overrunErrors() {
        return bits(428, 4);
    }

    /** Writes overrunErrors. */
    public PortInfo overrunErrors(int value) {
        bits(428, 4, value);
        return this;
    }

    /** Writes LinkSpeedExtActive. */
    public PortInfo linkSpeedExtActive(int value) {
        bits(496, 4, value);
        return this;
    }

    /** Writes LinkSpeedExtSupported. */
    public PortInfo linkSpeedExtSupported(int value) {
        bits(500, 4, value);
        return this;
    }

    /** Writes LinkSpeedExtEnabled. */
    public PortInfo linkSpeedExtEnabled(int value) {
        bits(507, 5, value);
        return this;
    }

    /** Writes linkSpeedExtActive2, linkSpeedExtSupported2 and linkSpeedExtEnabled2. */
    public PortInfo linkSpeedExt2(int value) {
        bits(449, 2, value);
        bits(451, 2, value);
        bits(453, 3, value);
        return this;
    }

    /** Writes CapabilityMask2. */
    public PortInfo capabilityMask2(int value) {
        u16(60, value);
        return this;
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("PortInfo lid=")
                .append(lid())
                .append(" lmc=")
                .append(lmc())
                .append(" state=")
                .append(portState());
    }
}
