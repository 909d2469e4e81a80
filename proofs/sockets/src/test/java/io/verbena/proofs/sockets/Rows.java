package io.verbena.proofs.sockets;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Random;

/** A client of a database: writes rows, and compares what it reads. Arguments: the URL and the number of rows. */
final class Rows {

    private static final int MOST_BYTES = 2_000;
    private static final int BATCH = 100;

    private Rows() {}

    public static void main(String[] arguments) throws Exception {
        int rows = Integer.parseInt(arguments[1]);
        long bytes = 0;
        try (Connection connection = DriverManager.getConnection(arguments[0], "sa", "");
                Statement statement = connection.createStatement()) {
            statement.execute("create table rows(id int primary key, content varbinary(" + MOST_BYTES + "))");
            try (PreparedStatement insert = connection.prepareStatement("insert into rows values(?, ?)")) {
                for (int i = 0; i < rows; i++) {
                    insert.setInt(1, i);
                    insert.setBytes(2, content(i));
                    insert.addBatch();
                    if (i % BATCH == BATCH - 1 || i == rows - 1) {
                        insert.executeBatch();
                    }
                }
            }
            try (ResultSet all = statement.executeQuery("select id, content from rows order by id")) {
                for (int i = 0; i < rows; i++) {
                    if (!all.next() || all.getInt(1) != i || !Arrays.equals(all.getBytes(2), content(i))) {
                        throw new AssertionError("row " + i);
                    }
                    bytes += content(i).length;
                }
            }
        }
        System.out.println("compared " + bytes);
    }

    private static byte[] content(int row) {
        Random random = new Random(row);
        byte[] content = new byte[random.nextInt(MOST_BYTES)];
        random.nextBytes(content);
        return content;
    }
}
