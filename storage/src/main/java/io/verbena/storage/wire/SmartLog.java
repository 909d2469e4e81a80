package io.verbena.storage.wire;

/**
 * The health log page (2).
 *
 * <pre>
 *  0 critical warning | 1 temperature (2) | 3 spare | 4 threshold | 5 used
 *  32 data units read (16) | 48 data units written (16) | 64 reads (16) | 80 writes (16) | 160 media errors (16) | 176 error entries (16)
 * </pre>
 */
public final class SmartLog extends Structure<SmartLog> {
    /** Length in bytes. */
    public static final int LENGTH = 512;

    @Override
    SmartLog self() {
        return this;
    }

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Critical warnings; bit 3: the medium is read-only. */
    public int warnings() {
        return u8(0);
    }

    /** Writes {@link #warnings()}. */
    public SmartLog warnings(int value) {
        return u8(0, value);
    }

    /** Temperature in kelvin; not aligned. */
    public int temperatureKelvin() {
        return u16(1);
    }

    /** Writes {@link #temperatureKelvin()}. */
    public SmartLog temperatureKelvin(int value) {
        return u16(1, value);
    }

    /** Available spare. */
    public int sparePercent() {
        return u8(3);
    }

    /** Writes {@link #sparePercent()}. */
    public SmartLog sparePercent(int value) {
        return u8(3, value);
    }

    /** Units of 512,000 bytes that were read. */
    public long unitsRead() {
        return u64(32);
    }

    /** Writes {@link #unitsRead()}. */
    public SmartLog unitsRead(long value) {
        return u64(32, value);
    }

    /** Units of 512,000 bytes that were written. */
    public long unitsWritten() {
        return u64(48);
    }

    /** Writes {@link #unitsWritten()}. */
    public SmartLog unitsWritten(long value) {
        return u64(48, value);
    }

    /** Read commands. */
    public long reads() {
        return u64(64);
    }

    /** Writes {@link #reads()}. */
    public SmartLog reads(long value) {
        return u64(64, value);
    }

    /** Write commands. */
    public long writes() {
        return u64(80);
    }

    /** Writes {@link #writes()}. */
    public SmartLog writes(long value) {
        return u64(80, value);
    }

    /** Errors of the medium. */
    public long mediaErrors() {
        return u64(160);
    }

    /** Writes {@link #mediaErrors()}. */
    public SmartLog mediaErrors(long value) {
        return u64(160, value);
    }

    /** Entries of the error log since the start. */
    public long errorEntries() {
        return u64(176);
    }

    /** Writes {@link #errorEntries()}. */
    public SmartLog errorEntries(long value) {
        return u64(176, value);
    }

    /** Zeroes the structure. */
    public SmartLog clear() {
        return zero(LENGTH);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("warnings=")
                .append(warnings())
                .append(" temperatureKelvin=")
                .append(temperatureKelvin())
                .append(" sparePercent=")
                .append(sparePercent())
                .append(" unitsRead=")
                .append(unitsRead())
                .append(" unitsWritten=")
                .append(unitsWritten())
                .append(" reads=")
                .append(reads());
    }
}
