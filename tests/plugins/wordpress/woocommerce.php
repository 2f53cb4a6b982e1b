<?php
// Stand-ins for the parts of WooCommerce that the plugin uses.

namespace Automattic\WooCommerce\Utilities {
    class FeaturesUtil
    {
        public static array $declared = [];
        public static function declare_compatibility(string $feature, string $file, bool $works = true): bool
        {
            self::$declared[$feature] = $works;
            return true;
        }
    }
}

namespace Automattic\WooCommerce\Blocks\Payments\Integrations {
    abstract class AbstractPaymentMethodType
    {
        protected $name = '';
        protected $settings = [];
        abstract public function initialize();
        public function get_name()
        {
            return $this->name;
        }
        protected function get_setting($name, $otherwise = '')
        {
            return $this->settings[$name] ?? $otherwise;
        }
    }
}

namespace {
    class WC_Payment_Gateway
    {
        public $id;
        public $method_title;
        public $method_description;
        public $has_fields;
        public $supports = [];
        public $title;
        public $description;
        public $form_fields = [];
        public $settings = [];
        public function init_settings(): void
        {
            $this->settings = get_option("woocommerce_{$this->id}_settings", []);
        }
        public function get_option($name)
        {
            return $this->settings[$name] ?? $this->form_fields[$name]['default'] ?? '';
        }
        public function process_admin_options(): bool
        {
            return true;
        }
        public function is_available()
        {
            return $this->get_option('enabled') === 'yes';
        }
        public function get_return_url($order = null)
        {
            return shim_read('shop.json', [])['origin'] . "/order-received/{$order->get_id()}/?key={$order->get_order_key()}";
        }
        public function admin_options(): void
        {
            foreach ($this->form_fields as $name => $field) {
                echo "<p>$name: " . esc_html($field['description'] ?? '') . '</p>';
            }
        }
    }

    /** An order as it is stored: changes are written by `save`, over what other processes have written meanwhile. */
    class WC_Order
    {
        private array $row;
        private array $changed = [];
        private array $meta = [];
        public function __construct(private int $id)
        {
            $this->row = shim_order($id);
        }
        /** The data store reads an order anew, from what the request has kept. */
        public function get_data_store()
        {
            return $this;
        }
        public function read(WC_Order $order): void
        {
            $order->row = shim_order($order->id) ?: throw new Exception('Invalid order.');
            $order->changed = $order->meta = [];
        }
        /** Only order tables have this cache. WooCommerce ignores the call where orders are posts. */
        public function clear_cached_data(array $ids): void
        {
            if (shim_has_tables()) {
                array_map('shim_forget', $ids);
            }
        }
        public function get_id()
        {
            return $this->id;
        }
        private function stored(string $name)
        {
            return $this->changed[$name] ?? $this->row[$name] ?? '';
        }
        public function get_order_key()
        {
            return "wc_order_{$this->id}";
        }
        public function get_order_number()
        {
            return (string) $this->id;
        }
        public function get_payment_method()
        {
            return $this->stored('payment_method');
        }
        public function get_payment_method_title()
        {
            return $this->stored('payment_method_title');
        }
        public function set_payment_method($id): void
        {
            $this->changed['payment_method'] = $id;
        }
        public function set_payment_method_title($title): void
        {
            $this->changed['payment_method_title'] = $title;
        }
        public function get_billing_email()
        {
            return $this->stored('billing_email');
        }
        public function set_props(array $props): void
        {
            $this->changed = [...$this->changed, ...$props];
        }
        public function get_currency()
        {
            return $this->stored('currency');
        }
        public function get_total($context = 'view')
        {
            return $this->stored('total');
        }
        public function get_status()
        {
            return $this->stored('status');
        }
        public function has_status($status)
        {
            return in_array($this->get_status(), (array) $status, true);
        }
        public function get_transaction_id()
        {
            return $this->stored('transaction_id');
        }
        public function set_transaction_id($id): void
        {
            $this->changed['transaction_id'] = $id;
        }
        public function get_date_paid()
        {
            return $this->stored('date_paid') ?: null;
        }
        public function is_paid()
        {
            return $this->has_status(['processing', 'completed']);
        }
        public function read_meta_data($force = false): void
        {
            $this->row['meta'] = (shim_has_tables() ? shim_order($this->id) : shim_read("order-{$this->id}.json", []))['meta'] ?? [];
        }
        public function get_meta($name)
        {
            return array_key_exists($name, $this->meta) ? $this->meta[$name] ?? '' : $this->row['meta'][$name] ?? '';
        }
        public function update_meta_data($name, $value): void
        {
            $this->meta[$name] = $value;
        }
        public function delete_meta_data($name): void
        {
            $this->meta[$name] = null;
        }
        public function save(): void
        {
            $with_changes = function (array $row) {
                $row = [...$row, ...$this->changed];
                $new = array_diff_key($this->meta, $row['meta'] ?? []);
                $meta = [...$this->meta, ...shim_has_tables() ? [] : array_map('shim_unslashed', $new)];
                $row['meta'] = array_filter([...$row['meta'] ?? [], ...$meta], fn ($value) => $value !== null);
                return $row;
            };
            shim_change("order-{$this->id}.json", [], $with_changes);
            // What another process has stored meanwhile is not read.
            $this->row = $with_changes($this->row);
            $this->changed = $this->meta = [];
            shim_forget($this->id);
            global $shim_orders;
            unset($shim_orders[$this->id]);
            do_action('woocommerce_update_order', $this->id, $this);
        }
        /** For REST and, where there are order tables, for the order list. Where orders are posts, that list calls WordPress itself. */
        public function delete(bool $force = false): void
        {
            do_action($force ? 'woocommerce_before_delete_order' : 'woocommerce_before_trash_order', $this->id, $this);
            if (!shim_has_tables()) {
                $force ? wp_delete_post($this->id) : wp_trash_post($this->id);
            } elseif ($force) {
                unlink(shim_path("order-{$this->id}.json"));
                shim_forget($this->id);
            } else {
                shim_bin($this->id);
            }
            do_action($force ? 'woocommerce_delete_order' : 'woocommerce_trash_order', $this->id);
        }
        public function add_order_note($note): void
        {
            $row = shim_change("order-{$this->id}.json", [], fn (array $row) => [...$row, 'notes' => [...$row['notes'] ?? [], $note]]);
            $this->row['notes'] = $row['notes'];
        }
        public function update_status($status, $note = ''): bool
        {
            $from = $this->get_status();
            $this->changed['status'] = $status;
            $this->save();
            if ($note !== '') {
                $this->add_order_note($note);
            }
            if ($from !== $status) {
                do_action("woocommerce_order_status_$status", $this->id, $this);
            }
            return true;
        }
        public function payment_complete($transaction = ''): bool
        {
            // As where a plugin throws in one of WooCommerce's hooks.
            if (($fails = $this->row['completion_fails'] ?? 0) > 0) {
                $this->changed['completion_fails'] = $fails - 1;
                $this->save();
                return false;
            }
            // WooCommerce completes cancelled orders too: the caller has to look. An order of another status it leaves as it is, and returns true.
            if (!$this->has_status(['on-hold', 'pending', 'failed', 'cancelled'])) {
                return true;
            }
            $this->changed['transaction_id'] = $transaction;
            $this->changed['date_paid'] = time();
            $this->changed['completed'] = ($this->row['completed'] ?? 0) + 1;
            return $this->update_status('processing');
        }
        public function get_total_refunded()
        {
            return array_sum(array_map(fn (array $refund) => (float) $refund['amount'], shim_read("order-{$this->id}.json", [])['refunds'] ?? []));
        }
    }

    /** WooCommerce gives WordPress new texts with slashes, and arrays as they are. WordPress takes slashes out of both. */
    function shim_unslashed($value)
    {
        if (is_array($value)) {
            array_walk_recursive($value, function (&$one): void {
                $one = is_string($one) ? stripslashes($one) : $one;
            });
        }
        return $value;
    }
    $shim_orders = [];
    /** An order as the request read or saved it last, whatever other processes have saved since. */
    function wc_get_order($id)
    {
        global $shim_orders;
        if (!is_file(shim_path("order-$id.json"))) {
            return false;
        }
        $shim_orders[$id] ??= new WC_Order((int) $id);
        return clone $shim_orders[$id];
    }
    function wc_get_orders(array $query): array
    {
        $ids = [];
        foreach (glob(shim_path('order-*.json')) as $file) {
            $row = json_decode(file_get_contents($file), true);
            $value = isset($query['meta_key']) ? $row['meta'][$query['meta_key']] ?? '' : $row['transaction_id'] ?? '';
            if ($value === ($query['meta_value'] ?? $query['transaction_id'])) {
                $ids[] = $row['id'];
            }
        }
        // The newest come first.
        ($query['order'] ?? 'DESC') === 'ASC' ? sort($ids) : rsort($ids);
        return array_slice($ids, 0, $query['limit']);
    }
    function wc_format_decimal($number, $digits)
    {
        return number_format((float) $number, $digits, '.', '');
    }
    function wc_add_notice(string $text, string $type = 'success'): void
    {
        global $shim_notices;
        $shim_notices[] = "$type: $text";
    }

    /** Writes the refund first, then asks the gateway where that is wanted, and deletes the refund when the gateway says no. */
    function wc_create_refund(array $given)
    {
        $order = wc_get_order($given['order_id']);
        $file = "order-{$given['order_id']}.json";
        $left = (float) $order->get_total() - $order->get_total_refunded();
        if ((float) $given['amount'] > $left + 0.000001) {
            return new WP_Error('refund', 'Invalid refund amount.');
        }
        $id = bin2hex(random_bytes(6));
        $refund = ['id' => $id, 'amount' => (string) $given['amount'], 'reason' => $given['reason'] ?? ''];
        shim_change($file, [], fn (array $row) => [...$row, 'refunds' => [...$row['refunds'] ?? [], $refund]]);
        if ($given['refund_payment'] ?? false) {
            $gateway = shim_gateway();
            $result = $gateway->process_refund($order->get_id(), $given['amount'], $given['reason'] ?? '');
            if ($result !== true) {
                shim_change($file, [], function (array $row) use ($id) {
                    $row['refunds'] = array_values(array_filter($row['refunds'], fn (array $one) => $one['id'] !== $id));
                    return $row;
                });
                return $result instanceof WP_Error ? $result : new WP_Error('refund', 'An error occurred.');
            }
        }
        if (abs((float) $order->get_total() - $order->get_total_refunded()) < 0.000001) {
            wc_get_order($given['order_id'])->update_status('refunded');
        }
        return $refund;
    }
    function as_schedule_single_action(int $at, string $hook, array $given = []): int
    {
        shim_change('scheduled.json', [], fn (array $list) => [...$list, ['hook' => $hook, 'given' => $given]]);
        return 1;
    }
    /** Those that wait. One that runs is no more in the list. */
    function as_get_scheduled_actions(array $query, string $format): array
    {
        $is_meant = fn (array $one) => $one['hook'] === $query['hook'] && $one['given'] === $query['args'];
        return array_keys(array_filter(shim_read('scheduled.json', []), $is_meant));
    }
    function WC()
    {
        return new class {
            public function api_request_url(string $name): string
            {
                return shim_read('shop.json', [])['origin'] . "/?wc-api=$name";
            }
        };
    }
    function shim_gateway(): WC_Payment_Gateway
    {
        $classes = apply_filters('woocommerce_payment_gateways', []);
        return new $classes[0]();
    }
}
