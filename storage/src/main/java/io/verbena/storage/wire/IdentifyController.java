package io.verbena.storage.wire;

/**
 * Identify controller (CNS 1). Offsets in bytes.
 *
 * <pre>
 *   0 VID | 2 SSVID | 4 SN (20) | 24 MN (40) | 64 FR (8) | 76 CMIC | 77 MDTS | 78 CNTLID | 80 VER
 *  92 OAES | 96 CTRATT | 111 CNTRLTYPE | 258 ACL | 259 AERL | 261 LPA | 262 ELPE | 320 KAS
 * 512 SQES | 513 CQES | 514 MAXCMD | 516 NN | 520 ONCS | 525 VWC | 536 SGLS
 * 768 SUBNQN (256) | 1792 IOCCSZ | 1796 IORCSZ | 1800 ICDOFF | 1803 MSDBD
 * </pre>
 */
public final class IdentifyController extends Structure<IdentifyController> {
    /** Length in bytes. */
    public static final int LENGTH = 4096;

    @Override
    IdentifyController self() {
        return this;
    }

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** SN. */
    public String serialNumber() {
        return text(4, 20).strip();
    }

    /** Writes {@link #serialNumber()}. */
    public IdentifyController serialNumber(String value) {
        return text(4, 20, value, ' ');
    }

    /** MN. */
    public String modelNumber() {
        return text(24, 40).strip();
    }

    /** Writes {@link #modelNumber()}. */
    public IdentifyController modelNumber(String value) {
        return text(24, 40, value, ' ');
    }

    /** FR. */
    public String firmwareRevision() {
        return text(64, 8).strip();
    }

    /** Writes {@link #firmwareRevision()}. */
    public IdentifyController firmwareRevision(String value) {
        return text(64, 8, value, ' ');
    }

    /** CNTLID. */
    public int controllerId() {
        return u16(78);
    }

    /** Writes {@link #controllerId()}. */
    public IdentifyController controllerId(int value) {
        return u16(78, value);
    }

    /** SUBNQN. */
    public String subsystemName() {
        return text(768, 256).strip();
    }

    /** Writes {@link #subsystemName()}. */
    public IdentifyController subsystemName(String value) {
        return text(768, 256, value, '\0');
    }

    /** CMIC. */
    public int sharing() {
        return u8(76);
    }

    /** Writes {@link #sharing()}. */
    public IdentifyController sharing(int value) {
        return u8(76, value);
    }

    /** MDTS: 2^n pages of 4 KiB. */
    public int maxTransferShift() {
        return u8(77);
    }

    /** Writes {@link #maxTransferShift()}. */
    public IdentifyController maxTransferShift(int value) {
        return u8(77, value);
    }

    /** VER. */
    public int version() {
        return u32(80);
    }

    /** Writes {@link #version()}. */
    public IdentifyController version(int value) {
        return u32(80, value);
    }

    /** OAES. */
    public int events() {
        return u32(92);
    }

    /** Writes {@link #events()}. */
    public IdentifyController events(int value) {
        return u32(92, value);
    }

    /** CTRATT. */
    public int attributes() {
        return u32(96);
    }

    /** Writes {@link #attributes()}. */
    public IdentifyController attributes(int value) {
        return u32(96, value);
    }

    /** CNTRLTYPE: 1 I/O, 2 discovery. */
    public int controllerType() {
        return u8(111);
    }

    /** Writes {@link #controllerType()}. */
    public IdentifyController controllerType(int value) {
        return u8(111, value);
    }

    /** ACL, zero-based. */
    public int abortLimit() {
        return u8(258);
    }

    /** Writes {@link #abortLimit()}. */
    public IdentifyController abortLimit(int value) {
        return u8(258, value);
    }

    /** AERL, zero-based. */
    public int eventRequestLimit() {
        return u8(259);
    }

    /** Writes {@link #eventRequestLimit()}. */
    public IdentifyController eventRequestLimit(int value) {
        return u8(259, value);
    }

    /** LPA. */
    public int logAttributes() {
        return u8(261);
    }

    /** Writes {@link #logAttributes()}. */
    public IdentifyController logAttributes(int value) {
        return u8(261, value);
    }

    /** ELPE, zero-based. */
    public int errorLogEntries() {
        return u8(262);
    }

    /** Writes {@link #errorLogEntries()}. */
    public IdentifyController errorLogEntries(int value) {
        return u8(262, value);
    }

    /** KAS, in units of 100 ms. */
    public int keepAliveGranularity() {
        return u16(320);
    }

    /** Writes {@link #keepAliveGranularity()}. */
    public IdentifyController keepAliveGranularity(int value) {
        return u16(320, value);
    }

    /** SQES. */
    public int submissionEntrySizes() {
        return u8(512);
    }

    /** Writes {@link #submissionEntrySizes()}. */
    public IdentifyController submissionEntrySizes(int value) {
        return u8(512, value);
    }

    /** CQES. */
    public int completionEntrySizes() {
        return u8(513);
    }

    /** Writes {@link #completionEntrySizes()}. */
    public IdentifyController completionEntrySizes(int value) {
        return u8(513, value);
    }

    /** MAXCMD. */
    public int maxCommands() {
        return u16(514);
    }

    /** Writes {@link #maxCommands()}. */
    public IdentifyController maxCommands(int value) {
        return u16(514, value);
    }

    /** NN. */
    public int namespaces() {
        return u32(516);
    }

    /** Writes {@link #namespaces()}. */
    public IdentifyController namespaces(int value) {
        return u32(516, value);
    }

    /** ONCS. */
    public int optionalCommands() {
        return u16(520);
    }

    /** Writes {@link #optionalCommands()}. */
    public IdentifyController optionalCommands(int value) {
        return u16(520, value);
    }

    /** VWC. */
    public int writeCache() {
        return u8(525);
    }

    /** Writes {@link #writeCache()}. */
    public IdentifyController writeCache(int value) {
        return u8(525, value);
    }

    /** SGLS. */
    public int sglSupport() {
        return u32(536);
    }

    /** Writes {@link #sglSupport()}. */
    public IdentifyController sglSupport(int value) {
        return u32(536, value);
    }

    /** IOCCSZ, in units of 16 bytes. */
    public int commandCapsuleUnits() {
        return u32(1792);
    }

    /** Writes {@link #commandCapsuleUnits()}. */
    public IdentifyController commandCapsuleUnits(int value) {
        return u32(1792, value);
    }

    /** IORCSZ, in units of 16 bytes. */
    public int responseCapsuleUnits() {
        return u32(1796);
    }

    /** Writes {@link #responseCapsuleUnits()}. */
    public IdentifyController responseCapsuleUnits(int value) {
        return u32(1796, value);
    }

    /** ICDOFF. */
    public int inCapsuleOffset() {
        return u16(1800);
    }

    /** Writes {@link #inCapsuleOffset()}. */
    public IdentifyController inCapsuleOffset(int value) {
        return u16(1800, value);
    }

    /** MSDBD. */
    public int maxDescriptors() {
        return u8(1803);
    }

    /** Writes {@link #maxDescriptors()}. */
    public IdentifyController maxDescriptors(int value) {
        return u8(1803, value);
    }

    /** Zeroes the structure. */
    public IdentifyController clear() {
        return zero(LENGTH);
    }

    /** CRDT1 to CRDT3: the delays that the bits for CRD of a status name, in 100 ms. */
    public int retryDelay(int index) {
        return u16(126 + 2 * index);
    }

    /** Writes {@link #retryDelay}. */
    public IdentifyController retryDelay(int index, int value) {
        return u16(126 + 2 * index, value);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("serialNumber=")
                .append(serialNumber())
                .append(" modelNumber=")
                .append(modelNumber())
                .append(" firmwareRevision=")
                .append(firmwareRevision())
                .append(" controllerId=")
                .append(controllerId())
                .append(" subsystemName=")
                .append(subsystemName())
                .append(" sharing=")
                .append(sharing());
    }
}
