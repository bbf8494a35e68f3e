/* The yardstick of the MariaDB section: what Spindle's emulated users do, by blocking threads on MariaDB's C library.
 *
 * It draws what engine/workloads/dvdstore/user.py draws, with the same chances. Built and run by mariadb_driver.py, which writes
 * the settings and the words to its standard input and reads one line of JSON.
 */

#define _GNU_SOURCE
#include "mariadb_calls.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { STACK_BYTES = 512 * 1024 };

typedef struct {
    char **words;
    int count;
} Words;

static struct {
    Place place;
    int users, warmup_seconds, seconds;
    int customers, products, tickets, popular_every, popular_factor, categories;
    int searches, batch_size, line_items, most_quantity, tax_per_10_000;
    double percent_new;
    char username_prefix[32], new_username_prefix[32], customer_password[32];
} set;
static Words titles, first_names, last_names;
static atomic_int connected;
static volatile int is_over;

typedef struct {
    Buyer buyer;
    pthread_t thread;
    atomic_long orders;
} User;

static void set_capitals(Buyer *buyer, Call *call, int place, int size, const char *after)
{
    char text[TEXT_SPACE];
    for (int at = 0; at < size; at++)
        text[at] = (char)('A' + below(buyer, 26));
    strcpy(text + size, after);
    set_text(call, place, text);
}

static void set_digits(Buyer *buyer, Call *call, int place, int size)
{
    char text[TEXT_SPACE] = {0};
    for (int at = 0; at < size; at++)
        text[at] = (char)('0' + below(buyer, 10));
    set_text(call, place, text);
}

/* The new customer's number, 0 when the name is taken, -1 when it failed. */
static long long register_customer(Buyer *buyer)
{
    Call *call = &buyer->calls[NEW_CUSTOMER];
    long long found[MOST_LINES][2] = {{0}};
    set_capitals(buyer, call, 0, 6, "");
    set_capitals(buyer, call, 1, 10, "");
    snprintf(call->texts[2], TEXT_SPACE, "%d Station Road", 1000 + below(buyer, 9000));
    call->sizes[2] = strlen(call->texts[2]);
    set_text(call, 3, "");
    set_capitals(buyer, call, 4, 7, "");
    set_text(call, 5, "NY");
    call->numbers[6] = 10000 + below(buyer, 90000);
    set_text(call, 7, "US");
    call->numbers[8] = 1;
    set_capitals(buyer, call, 9, 10, "@example.com");
    set_digits(buyer, call, 10, 10);
    call->numbers[11] = 1 + below(buyer, 5);
    set_digits(buyer, call, 12, 16);
    set_text(call, 13, "2028/07");
    snprintf(call->texts[14], TEXT_SPACE, "%s%d", set.new_username_prefix, 1 + below(buyer, INT32_MAX));
    call->sizes[14] = strlen(call->texts[14]);
    set_text(call, 15, set.customer_password);
    call->numbers[16] = 18 + below(buyer, 73);
    call->numbers[17] = 20000 * (1 + below(buyer, 5));
    set_text(call, 18, below(buyer, 2) ? "M" : "F");
    return ask(buyer, NEW_CUSTOMER, found, &is_over) < 0 ? -1 : found[0][0];
}

static long long enter(Buyer *buyer)
{
    long long customer = 0;
    if (chance(buyer) * 100 < set.percent_new) {
        while (customer == 0)
            customer = register_customer(buyer);
        return customer;
    }
    Call *call = &buyer->calls[LOGIN];
    customer = 1 + below(buyer, set.customers);
    snprintf(call->texts[0], TEXT_SPACE, "%s%lld", set.username_prefix, customer);
    call->sizes[0] = strlen(call->texts[0]);
    set_text(call, 1, set.customer_password);
    return ask(buyer, LOGIN, NULL, &is_over) < 0 ? -1 : customer;
}

static int browse(Buyer *buyer)
{
    int batch = 1 + below(buyer, 2 * set.batch_size - 1), kind = CATEGORY + below(buyer, 3);
    Call *call = &buyer->calls[kind];
    call->numbers[1] = batch;
    if (kind == CATEGORY) {
        call->numbers[0] = 1 + below(buyer, set.categories);
    } else {
        int title = below(buyer, set.products);
        const char *one = titles.words[title / titles.count % titles.count];
        const char *other = titles.words[title % titles.count];
        if (kind == ACTOR) {
            one = first_names.words[below(buyer, first_names.count)];
            other = last_names.words[below(buyer, last_names.count)];
        }
        snprintf(call->texts[0], TEXT_SPACE, "+%s +%s", one, other);
        call->sizes[0] = strlen(call->texts[0]);
    }
    return ask(buyer, kind, NULL, &is_over);
}

static int buy(Buyer *buyer, long long customer)
{
    Call *look_up = &buyer->calls[PRICES], *purchase = &buyer->calls[PURCHASE];
    int lines = 1 + below(buyer, 2 * set.line_items - 1);
    lines = lines < MOST_LINES ? lines : MOST_LINES;
    memset(look_up->numbers, 0, sizeof look_up->numbers);
    memset(purchase->numbers, 0, sizeof purchase->numbers);
    for (int line = 0; line < lines; line++) {
        int beyond = below(buyer, set.tickets) - set.products;
        int product = beyond < 0 ? beyond + set.products + 1
                                 : (beyond / (set.popular_factor - 1) + 1) * set.popular_every;
        look_up->numbers[line] = purchase->numbers[5 + 2 * line] = product;
        purchase->numbers[6 + 2 * line] = 1 + below(buyer, set.most_quantity);
    }
    long long prices[MOST_LINES][2] = {{0}}, made[MOST_LINES][2], net = 0;
    int found = ask(buyer, PRICES, prices, &is_over);
    if (found < 0)
        return -1;
    for (int line = 0; line < lines; line++)
        for (int row = 0; row < found; row++)
            if (prices[row][0] == purchase->numbers[5 + 2 * line])
                net += prices[row][1] * purchase->numbers[6 + 2 * line];
    long long tax = (net * set.tax_per_10_000 + 5000) / 10000;
    long long head[] = {customer, net, tax, net + tax, lines};
    memcpy(purchase->numbers, head, sizeof head);
    return ask(buyer, PURCHASE, made, &is_over);
}

static void *live(void *self)
{
    User *user = self;
    Buyer *buyer = &user->buyer;
    mysql_thread_init();
    if (open_buyer(buyer, &set.place) == 0)
        connected++;
    while (!is_over && buyer->failure[0] == 0) {
        long long customer = enter(buyer);
        int fared = customer < 0 ? -1 : 0;
        for (int left = 1 + below(buyer, 2 * set.searches - 1); left > 0 && fared >= 0; left--)
            fared = browse(buyer);
        if (fared >= 0 && buy(buyer, customer) >= 0)
            user->orders++;
    }
    mysql_close(buyer->connection);
    mysql_thread_end();
    return NULL;
}

static Words read_words(void)
{
    Words words = {0};
    int count;
    if (scanf("%d", &count) != 1)
        exit(2);
    words.words = calloc(count, sizeof *words.words);
    for (; words.count < count; words.count++)
        if (scanf("%ms", &words.words[words.count]) != 1)
            exit(2);
    return words;
}

static double seconds_of(struct timeval time) { return (double)time.tv_sec + 1e-6 * (double)time.tv_usec; }

/* What was done and used until now: orders, retries, and seconds of the clock and of the processors. */
static void look(const User *users, double now[5])
{
    struct rusage used;
    struct timespec clock;
    getrusage(RUSAGE_SELF, &used);
    clock_gettime(CLOCK_MONOTONIC, &clock);
    now[0] = now[1] = 0.0;
    for (int number = 0; number < set.users; number++) {
        now[0] += (double)users[number].orders;
        now[1] += (double)users[number].buyer.retries;
    }
    now[2] = (double)clock.tv_sec + 1e-9 * (double)clock.tv_nsec;
    now[3] = seconds_of(used.ru_utime);
    now[4] = seconds_of(used.ru_stime);
}

static const char *first_failure(const User *users)
{
    for (int number = 0; number < set.users; number++)
        if (users[number].buyer.failure[0] != 0)
            return users[number].buyer.failure;
    return NULL;
}

int main(void)
{
    if (scanf("%255s %d %255s %255s %255s %d %d %d", set.place.host, &set.place.port, set.place.database, set.place.user, set.place.password,
              &set.users, &set.warmup_seconds, &set.seconds) != 8 ||
        scanf("%d %d %d %d %d %d %d %d %d %d %d %lf", &set.customers, &set.products, &set.tickets, &set.popular_every,
              &set.popular_factor, &set.categories, &set.searches, &set.batch_size, &set.line_items, &set.most_quantity,
              &set.tax_per_10_000, &set.percent_new) != 12 ||
        scanf("%31s %31s %31s", set.username_prefix, set.new_username_prefix, set.customer_password) != 3)
        return 2;
    titles = read_words(), first_names = read_words(), last_names = read_words();
    mysql_library_init(0, NULL, NULL);
    User *users = calloc(set.users, sizeof *users);
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK_BYTES);
    for (int number = 0; number < set.users; number++) {
        users[number].buyer.chance = 0x9E3779B97F4A7C15ULL * (uint64_t)(number + 1);
        pthread_create(&users[number].thread, &small, live, &users[number]);
    }
    while (connected < set.users && first_failure(users) == NULL)
        usleep(10000);
    double before[5], after[5];
    sleep(set.warmup_seconds);
    look(users, before);
    sleep(set.seconds);
    look(users, after);
    is_over = 1;
    for (int number = 0; number < set.users; number++)
        pthread_join(users[number].thread, NULL);
    if (first_failure(users) != NULL) {
        fprintf(stderr, "%s\n", first_failure(users));
        return 1;
    }
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("{\"orders\": %.0f, \"retries\": %.0f, \"seconds\": %f, \"cpu\": [%f, %f], \"peak_memory_mb\": %f}\n",
           after[0] - before[0], after[1] - before[1], after[2] - before[2], after[3] - before[3],
           after[4] - before[4], (double)used.ru_maxrss / 1024);
    return 0;
}
