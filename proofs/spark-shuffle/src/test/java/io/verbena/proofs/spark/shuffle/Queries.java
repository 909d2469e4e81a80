package io.verbena.proofs.spark.shuffle;

import java.util.Arrays;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * A driver that runs queries in the manner of TPC-DS over generated tables, and prints their rows. The order of
 * each result is complete, and no
 * result depends on the order of additions. Arguments: the number of sales, the options of the JVMs of the
 * executors, settings as NAME=VALUE.
 */
final class Queries {

    /** Joins shuffle both sides: a table that is broadcast would not be read by a reducer. */
    private static final String NO_BROADCAST = "-1";

    private static final List<String> TABLES = List.of(
            "item: select id as item, concat('brand', id % 37) as brand, concat('category', id % 7) as category,"
                    + " cast(100 + id % 900 as bigint) as price from range(0, 500, 1, 4)",
            "day: select id as day, id div 365 as year, id % 365 div 7 as week, id % 7 as weekday from range(0, 1095, 1, 4)",
            "store: select id as store, concat('city', id % 5) as city from range(0, 20, 1, 2)",
            "customer: select id as customer, concat('name', id) as name, id % 50 as district from range(0, 4000, 1, 4)",
            // Half of the sales are those of eight customers.
            "sale: select id as ticket, pmod(hash(id, 1), 500) as item, pmod(hash(id, 2), 1095) as day,"
                    + " pmod(hash(id, 3), 20) as store, if(id % 2 = 0, id % 16, pmod(hash(id, 4), 4000)) as customer,"
                    + " cast(1 + pmod(hash(id, 5), 9) as bigint) as quantity from range(0, %d, 1, 8)",
            "returned: select ticket, item, customer, day, quantity from sale where ticket % 11 = 3",
            "web: select id as orders, pmod(hash(id, 6), 500) as item, pmod(hash(id, 7), 4000) as customer,"
                    + " pmod(hash(id, 8), 1095) as day, cast(1 + id % 4 as bigint) as quantity from range(0, %d div 2, 1, 8)");

    static final List<String> QUERIES = List.of(
            // Sales of brands in a year.
            "select d.year, i.brand, sum(s.quantity * i.price) as amount, count(*) as number from sale s"
                    + " join item i on s.item = i.item join day d on s.day = d.day where i.category in ('category1', 'category3')"
                    + " group by d.year, i.brand order by d.year, amount desc, i.brand",
            // Customers who return more than others of their district.
            "with r as (select c.district, c.customer, sum(r.quantity) as total from returned r join customer c"
                    + " on r.customer = c.customer group by c.district, c.customer) select a.district, a.customer, a.total"
                    + " from r a join (select district, avg(total) * 1.2 as mean from r group by district) b"
                    + " on a.district = b.district where a.total > b.mean order by a.district, a.customer limit 200",
            // Weeks of the stores, a column for each day.
            "select t.city, d.week, sum(if(d.weekday = 0, s.quantity, 0)) as d0, sum(if(d.weekday = 3, s.quantity, 0)) as d3,"
                    + " sum(if(d.weekday = 6, s.quantity, 0)) as d6 from sale s join day d on s.day = d.day"
                    + " join store t on s.store = t.store group by t.city, d.week order by t.city, d.week",
            // Growth of customers from one year to the next, in the stores and in the web.
            "with y as (select customer, d.year, sum(quantity) as q, 's' as via from sale s join day d on s.day = d.day"
                    + " group by customer, d.year union all select customer, d.year, sum(quantity), 'w' from web w"
                    + " join day d on w.day = d.day group by customer, d.year) select a.customer, a.via, a.q, b.q as next"
                    + " from y a join y b on a.customer = b.customer and a.via = b.via and b.year = a.year + 1"
                    + " where b.q > a.q order by a.customer, a.via, a.q, b.q limit 300",
            // Subtotals.
            "select i.category, i.brand, sum(s.quantity) as q, grouping_id() as g from sale s join item i on s.item = i.item"
                    + " group by rollup(i.category, i.brand) order by g, i.category, i.brand",
            // The five best items of each category.
            "select * from (select i.category, i.item, sum(s.quantity * i.price) as amount, rank() over (partition by"
                    + " i.category order by sum(s.quantity * i.price) desc, i.item) as place from sale s join item i"
                    + " on s.item = i.item group by i.category, i.item) where place <= 5 order by category, place",
            // Different customers of each category and year.
            "select i.category, d.year, count(distinct s.customer) as customers from sale s join item i on s.item = i.item"
                    + " join day d on s.day = d.day group by i.category, d.year order by i.category, d.year",
            // Customers of both ways, and of one of them only.
            "select 'both' as way, count(*) from (select customer from sale intersect select customer from web) union all"
                    + " select 'stores', count(*) from (select customer from sale except select customer from web) union all"
                    + " select 'web', count(*) from (select customer from web except select customer from sale) order by way",
            // Customers who have bought in the web and have returned nothing.
            "select c.district, count(*) as number, min(c.name) as first, max(c.name) as last from customer c"
                    + " where exists (select 1 from web w where w.customer = c.customer) and not exists"
                    + " (select 1 from returned r where r.customer = c.customer) group by c.district order by c.district",
            // What was sold and what came back, by item, with the items that have one of them only.
            "select coalesce(s.item, r.item) as item, s.q as sold, r.q as back from (select item, sum(quantity) as q from sale"
                    + " where day < 400 group by item) s full outer join (select item, sum(quantity) as q from returned"
                    + " where day > 300 and quantity > 5 group by item) r on s.item = r.item order by item, sold, back");

    private Queries() {}

    public static void main(String[] arguments) throws Exception {
        SparkSession.Builder settings = SparkSession.builder().config(Jobs.settings(arguments[1]));
        settings.config("spark.sql.autoBroadcastJoinThreshold", NO_BROADCAST);
        settings.config("spark.sql.shuffle.partitions", 8);
        settings.config("spark.sql.warehouse.dir", "warehouse");
        for (String each : Arrays.asList(arguments).subList(2, arguments.length)) {
            int at = each.indexOf('=');
            settings.config(each.substring(0, at), each.substring(at + 1));
        }
        try (SparkSession spark = settings.getOrCreate()) {
            JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
            Jobs.awaitExecutors(context, 2);
            for (String table : TABLES) {
                int colon = table.indexOf(':');
                spark.sql(table.substring(colon + 1).replace("%d", arguments[0]))
                        .createOrReplaceTempView(table.substring(0, colon));
            }
            for (int i = 0; i < QUERIES.size(); i++) {
                String query = Jobs.ROWS + "query " + (i + 1) + ": ";
                spark.sql(QUERIES.get(i)).collectAsList().forEach(row -> System.out.println(query + row));
            }
            Jobs.figures(context, "before");
        }
    }
}
