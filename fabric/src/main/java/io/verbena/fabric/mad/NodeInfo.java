package io.verbena.fabric.mad;

import java.lang.foreign.MemorySegment;

/**
 * NodeInfo: what a node is.
 *
 * <pre>
 *    byte bits  field
 *       0    8  baseVersion
 *       1    8  classVersion
 *       2    8  nodeType
 *       3    8  numPorts
 *       4   64  systemImageGuid
 *      12   64  nodeGuid
 *      20   64  portGuid
 *      28   16  partitionCap
 *      30   16  deviceId
 *      32   32  revision
 *      36    8  localPortNum
 *      37   24  vendorId
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 14.2.5.3.
 */
public final class NodeInfo extends Fields {
    /** Length in bytes. */
    public static final int LENGTH = 40;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public NodeInfo wrap(MemorySegment segment, long offset) {
        point(segment, offset);
        return this;
    }

    /** BaseVersion: 1. */
    public int baseVersion() {
        return u8(0);
    }

    /** Writes baseVersion. */
    public NodeInfo baseVersion(int value) {
        u8(0, value);
        return this;
    }

    /** ClassVersion: 1. */
    public int classVersion() {
        return u8(1);
    }

    /** Writes classVersion. */
    public NodeInfo classVersion(int value) {
        u8(1, value);
        return this;
    }

    /** NodeType: 1 adapter, 2 switch, 3 router. */
    public int nodeType() {
        return u8(2);
    }

    /** Writes nodeType. */
    public NodeInfo nodeType(int value) {
        u8(2, value);
        return this;
    }

    /** NumPorts: the number of external ports. */
    public int numPorts() {
        return u8(3);
    }

    /** Writes numPorts. */
    public NodeInfo numPorts(int value) {
        u8(3, value);
        return this;
    }

    /** SystemImageGUID. */
    public long systemImageGuid() {
        return u64(4);
    }

    /** Writes systemImageGuid. */
    public NodeInfo systemImageGuid(long value) {
        u64(4, value);
        return this;
    }

    /** NodeGUID. */
    public long nodeGuid() {
        return u64(12);
    }

    /** Writes nodeGuid. */
    public NodeInfo nodeGuid(long value) {
        u64(12, value);
        return this;
    }

    /** PortGUID of the port that received the request. */
    public long portGuid() {
        return u64(20);
    }

    /** Writes portGuid. */
    public NodeInfo portGuid(long value) {
        u64(20, value);
        return this;
    }

    /** PartitionCap: entries of the P_Key table. */
    public int partitionCap() {
        return u16(28);
    }

    /** Writes partitionCap. */
    public NodeInfo partitionCap(int value) {
        u16(28, value);
        return this;
    }

    /** DeviceID. */
    public int deviceId() {
        return u16(30);
    }

    /** Writes deviceId. */
    public NodeInfo deviceId(int value) {
        u16(30, value);
        return this;
    }

    /** Revision. */
    public int revision() {
        return u32(32);
    }

    /** Writes revision. */
    public NodeInfo revision(int value) {
        u32(32, value);
        return this;
    }

    /** LocalPortNum: the port that received the request. */
    public int localPortNum() {
        return u8(36);
    }

    /** Writes localPortNum. */
    public NodeInfo localPortNum(int value) {
        u8(36, value);
        return this;
    }

    /** VendorID. */
    public int vendorId() {
        return u24(37);
    }

    /** Writes vendorId. */
    public NodeInfo vendorId(int value) {
        u24(37, value);
        return this;
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("NodeInfo type=")
                .append(nodeType())
                .append(" ports=")
                .append(numPorts())
                .append(" guid=0x")
                .append(Long.toHexString(nodeGuid()));
    }
}
