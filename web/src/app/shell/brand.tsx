import { Link } from '@tanstack/react-router';
import { useHospital } from '@/entities/hospital/hospital';
import classes from './brand.module.css';

/** The hospital's logo, or the product's mark if it has none. */
export function Logo({ size = 40, onPrimary = false }: { size?: number; onPrimary?: boolean }) {
  const { logo } = useHospital();
  return logo ? (
    <img className={classes.image} src={logo} width={size} height={size} alt="" />
  ) : (
    <span
      className={classes.mark}
      data-on-primary={onPrimary || undefined}
      style={{ width: size, height: size }}
    >
      <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
        <path d="M13 7h6v6h6v6h-6v6h-6v-6H7v-6h6z" fill="currentColor" />
      </svg>
    </span>
  );
}

export function Brand() {
  const { name } = useHospital();
  return (
    <Link to="/app/dashboard" className={classes.brand}>
      <Logo />
      <span className={classes.name}>{name}</span>
    </Link>
  );
}
