package io.verbena.fabric.mad;

import io.verbena.wire.Header;

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
 * <p>Source: InfiniBand architecture specification, volume 1, section 14.2.5.6.
 */
public final class PortInfo extends Header<PortInfo> {
    /** Length in bytes. */
    public static final int LENGTH = 64;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** M_Key. */
    public long mKey() {
        return u64(0);
    }

    public PortInfo mKey(long value) {
        return u64(0, value);
    }

    /** GidPrefix: the upper half of the IPv6 address. */
    public long gidPrefix() {
        return u64(8);
    }

    public PortInfo gidPrefix(long value) {
        return u64(8, value);
    }

    /** LID: the base LID. */
    public int lid() {
        return u16(16);
    }

    public PortInfo lid(int value) {
        return u16(16, value);
    }

    /** MasterSMLID. */
    public int masterSmLid() {
        return u16(18);
    }

    public PortInfo masterSmLid(int value) {
        return u16(18, value);
    }

    /** CapabilityMask. */
    public int capabilityMask() {
        return u32(20);
    }

    public PortInfo capabilityMask(int value) {
        return u32(20, value);
    }

    /** M_KeyLeasePeriod in seconds. */
    public int mKeyLeasePeriod() {
        return u16(26);
    }

    public PortInfo mKeyLeasePeriod(int value) {
        return u16(26, value);
    }

    /** LocalPortNum: the port that received the request. */
    public int localPortNum() {
        return u8(28);
    }

    public PortInfo localPortNum(int value) {
        return u8(28, value);
    }

    /** LinkWidthEnabled. */
    public PortInfo linkWidthEnabled(int value) {
        return u8(29, value);
    }

    /** LinkWidthSupported. */
    public PortInfo linkWidthSupported(int value) {
        return u8(30, value);
    }

    /** LinkWidthActive. */
    public PortInfo linkWidthActive(int value) {
        return u8(31, value);
    }

    /** LinkSpeedSupported. */
    public PortInfo linkSpeedSupported(int value) {
        return bits(32, 0, 4, value);
    }

    /** PortState: 1 down, 2 initialize, 3 armed, 4 active. */
    public int portState() {
        return bits(32, 4, 4);
    }

    public PortInfo portState(int value) {
        return bits(32, 4, 4, value);
    }

    /** PortPhysicalState: 2 polling, 3 disabled, 5 link up. */
    public int portPhysicalState() {
        return bits(33, 0, 4);
    }

    public PortInfo portPhysicalState(int value) {
        return bits(33, 0, 4, value);
    }

    /** LinkDownDefaultState. */
    public int linkDownDefaultState() {
        return bits(33, 4, 4);
    }

    public PortInfo linkDownDefaultState(int value) {
        return bits(33, 4, 4, value);
    }

    /** M_KeyProtectBits. */
    public int mKeyProtectBits() {
        return bits(34, 0, 2);
    }

    public PortInfo mKeyProtectBits(int value) {
        return bits(34, 0, 2, value);
    }

    /** LMC. */
    public int lmc() {
        return bits(34, 5, 3);
    }

    public PortInfo lmc(int value) {
        return bits(34, 5, 3, value);
    }

    /** LinkSpeedActive. */
    public PortInfo linkSpeedActive(int value) {
        return bits(35, 0, 4, value);
    }

    /** LinkSpeedEnabled. */
    public PortInfo linkSpeedEnabled(int value) {
        return bits(35, 4, 4, value);
    }

    /** NeighborMTU: 1 for 256 to 5 for 4096 bytes. */
    public int neighborMtu() {
        return bits(36, 0, 4);
    }

    public PortInfo neighborMtu(int value) {
        return bits(36, 0, 4, value);
    }

    /** MasterSMSL. */
    public int masterSmSl() {
        return bits(36, 4, 4);
    }

    public PortInfo masterSmSl(int value) {
        return bits(36, 4, 4, value);
    }

    /** VLCap: 1, 2, 4, 8, 15 lanes as 1 to 5. */
    public int vlCap() {
        return bits(37, 0, 4);
    }

    public PortInfo vlCap(int value) {
        return bits(37, 0, 4, value);
    }

    /** VLHighLimit. */
    public int vlHighLimit() {
        return u8(38);
    }

    public PortInfo vlHighLimit(int value) {
        return u8(38, value);
    }

    /** VLArbitrationHighCap. */
    public PortInfo vlArbitrationHighCap(int value) {
        return u8(39, value);
    }

    /** VLArbitrationLowCap. */
    public PortInfo vlArbitrationLowCap(int value) {
        return u8(40, value);
    }

    /** MTUCap. */
    public int mtuCap() {
        return bits(41, 4, 4);
    }

    public PortInfo mtuCap(int value) {
        return bits(41, 4, 4, value);
    }

    /** VLStallCount. */
    public int vlStallCount() {
        return bits(42, 0, 3);
    }

    public PortInfo vlStallCount(int value) {
        return bits(42, 0, 3, value);
    }

    /** HOQLife. */
    public int hoqLife() {
        return bits(42, 3, 5);
    }

    public PortInfo hoqLife(int value) {
        return bits(42, 3, 5, value);
    }

    /** OperationalVLs, like VLCap. */
    public int operationalVls() {
        return bits(43, 0, 4);
    }

    public PortInfo operationalVls(int value) {
        return bits(43, 0, 4, value);
    }

    /** PartitionEnforcementInbound. */
    public boolean partitionEnforcementInbound() {
        return flag(43, 4);
    }

    public PortInfo partitionEnforcementInbound(boolean value) {
        return flag(43, 4, value);
    }

    /** PartitionEnforcementOutbound. */
    public boolean partitionEnforcementOutbound() {
        return flag(43, 5);
    }

    public PortInfo partitionEnforcementOutbound(boolean value) {
        return flag(43, 5, value);
    }

    /** FilterRawInbound. */
    public boolean filterRawInbound() {
        return flag(43, 6);
    }

    public PortInfo filterRawInbound(boolean value) {
        return flag(43, 6, value);
    }

    /** FilterRawOutbound. */
    public boolean filterRawOutbound() {
        return flag(43, 7);
    }

    public PortInfo filterRawOutbound(boolean value) {
        return flag(43, 7, value);
    }

    /** M_KeyViolations. */
    public int mKeyViolations() {
        return u16(44);
    }

    public PortInfo mKeyViolations(int value) {
        return u16(44, value);
    }

    /** GUIDCap. */
    public PortInfo guidCap(int value) {
        return u8(50, value);
    }

    /** ClientReregister. */
    public PortInfo clientReregister(boolean value) {
        return flag(51, 0, value);
    }

    /** SubnetTimeOut. */
    public int subnetTimeOut() {
        return bits(51, 3, 5);
    }

    public PortInfo subnetTimeOut(int value) {
        return bits(51, 3, 5, value);
    }

    /** RespTimeValue. */
    public PortInfo respTimeValue(int value) {
        return bits(52, 3, 5, value);
    }

    /** LocalPhyErrors. */
    public int localPhyErrors() {
        return bits(53, 0, 4);
    }

    public PortInfo localPhyErrors(int value) {
        return bits(53, 0, 4, value);
    }

    /** OverrunErrors. */
    public int overrunErrors() {
        return bits(53, 4, 4);
    }

    public PortInfo overrunErrors(int value) {
        return bits(53, 4, 4, value);
    }

    /** LinkSpeedExtActive. */
    public PortInfo linkSpeedExtActive(int value) {
        return bits(62, 0, 4, value);
    }

    /** LinkSpeedExtSupported. */
    public PortInfo linkSpeedExtSupported(int value) {
        return bits(62, 4, 4, value);
    }

    /** LinkSpeedExtEnabled. */
    public PortInfo linkSpeedExtEnabled(int value) {
        return bits(63, 3, 5, value);
    }

    /** Writes linkSpeedExtActive2, linkSpeedExtSupported2 and linkSpeedExtEnabled2. */
    public PortInfo linkSpeedExt2(int value) {
        bits(56, 1, 2, value);
        bits(56, 3, 2, value);
        return bits(56, 5, 3, value);
    }

    /** CapabilityMask2. */
    public PortInfo capabilityMask2(int value) {
        return u16(60, value);
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
